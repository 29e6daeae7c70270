// SPDX-License-Identifier: MIT
// The export dialog: what it does with files that are there, and that its preview never holds it up.
#include "app/pages/compare/paperpreview.h"
#include "app/shell/actions.h"
#include "app/shell/workingdialog.h"
#include "app/text/text.h"
#include "app/widgets/messagebar.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"

#include <QAbstractButton>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QTest>
#include <latch>
#include <sys/stat.h>

namespace ringside::test {

namespace {

const QString kMeasured = QString::fromLatin1(kMeasuredExperiment);
constexpr int kStandardFiles = 6;

/// The middle of what a preview shows: paper only, without the ruler.
QImage middleOf(QWidget& preview)
{
    const QPoint centre = preview.rect().center();
    return preview.grab({centre - QPoint(80, 80), QSize(160, 160)}).toImage().convertToFormat(QImage::Format_RGB32);
}

bool allPixels(const QImage& image, const std::function<bool(QRgb)>& hold)
{
    const auto* pixels = reinterpret_cast<const QRgb*>(image.constBits());
    return std::all_of(pixels, pixels + image.width() * image.height(), hold);
}

bool isGray(QRgb pixel)
{
    return qRed(pixel) == qGreen(pixel) && qGreen(pixel) == qBlue(pixel);
}

/// Red and green look alike.
bool isDeutan(QRgb pixel)
{
    return qRed(pixel) == qGreen(pixel);
}

/// A window on a measured experiment, a folder to write to, and the dialog by its widgets.
class Desk
{
public:
    Desk()
    {
        m_fixture.fillStore();
        m_fixture.show();
        m_fixture.go(PageId::compare, kMeasured, QStringLiteral("speedup"));
    }

    void open()
    {
        auto* action = m_fixture.window().actions()[ActionId::exportFigure];
        QVERIFY(waitFor([&] { return action->isEnabled(); }));
        action->trigger();
        QVERIFY(waitFor([&] { return openDialog(m_fixture.window()); }));
        m_firstFolder = folder().text();
        folder().setText(m_folder.path());
    }
    /// Returns the folder into which the dialog would have written by itself.
    const QString& firstFolder() const { return m_firstFolder; }
    void type(const QString& path) { folder().setText(path); }

    Preferences& preferences() { return m_fixture.preferences(); }
    double widthMm()
    {
        return shown<QDoubleSpinBox>(dialog(), [](const QDoubleSpinBox& spin) { return spin.minimum() == 40; })
            ->value();
    }

    /// By the label beside it.
    template <class Field> Field& field(const char* label)
    {
        return *qobject_cast<Field*>(
            shown<QLabel>(dialog(), [&](const QLabel& each) { return each.text() == QLatin1String(label); })->buddy());
    }
    QCheckBox& box(const char* file)
    {
        return *shown<QCheckBox>(dialog(), [&](const QCheckBox& each) { return each.text() == QLatin1String(file); });
    }

    /// Without a window manager the dialog is not the active window; this is what has the focus within it.
    QWidget* focus() { return dialog().focusWidget(); }
    void enter() { QTest::keyClick(focus(), Qt::Key_Return); }

    QDialog& dialog() { return *openDialog(m_fixture.window()); }
    bool isClosed()
    {
        return waitFor([&] { return !openDialog(m_fixture.window()); });
    }
    bool isSaid(const char* text)
    {
        return waitFor([&] { return says(m_fixture.window(), QLatin1String(text)); });
    }
    QPushButton* button(const char* text)
    {
        return shown<QPushButton>(dialog(), [&](const QPushButton& b) { return b.text() == QLatin1String(text); });
    }
    bool asks()
    {
        return waitFor([&] { return button("New names"); });
    }
    QString message() { return dialog().findChild<MessageBar*>()->text(); }

    fs::path file(const char* name) const { return toPath(m_folder.path()) / name; }
    QStringList files() const { return QDir(m_folder.path()).entryList(QDir::Files); }
    void put(const char* name) const { QVERIFY(writeFileAtomically(file(name), "mine")); }

private:
    QLineEdit& folder()
    {
        return *shown<QLineEdit>(
            dialog(), [](const QLineEdit& edit) { return edit.accessibleName() == QStringLiteral("Folder"); });
    }

    QTemporaryDir m_folder;
    QString m_firstFolder;
    WindowFixture m_fixture;
};

} // namespace

class ExportTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void intoAnEmptyFolderNothingIsAsked()
    {
        Desk desk;
        desk.open();
        desk.button("Export 6 files")->setFocus();
        desk.enter();
        QVERIFY(desk.isClosed());
        QCOMPARE(desk.files().size(), kStandardFiles);
    }

    void otherPeopleMayReadWhatTheUmaskLetsThem()
    {
        const mode_t before = ::umask(0027);
        Desk desk;
        desk.open();
        desk.button("Export 6 files")->click();
        QVERIFY(desk.isClosed());
        ::umask(before);
        for (const QString& name : desk.files()) {
            struct stat info
            {
            };
            QCOMPARE(::stat(desk.file(name.toUtf8().constData()).c_str(), &info), 0);
            QCOMPARE(info.st_mode & 0777, mode_t(0640));
        }
    }

    void eachExperimentHasAFolderOfItsOwn()
    {
        Desk desk;
        desk.open();
        QCOMPARE(QFileInfo(desk.firstFolder()).fileName(), kMeasured);
        desk.type(toQt(desk.file("papers")));
        desk.button("Export 6 files")->click(); // makes it
        QVERIFY(desk.isClosed());
        QCOMPARE(QDir(toQt(desk.file("papers"))).entryList(QDir::Files).size(), kStandardFiles);
        desk.open();
        QCOMPARE(desk.firstFolder(), toQt(desk.file("papers")));
    }

    void withoutAFolderNothingIsExported()
    {
        Desk desk;
        desk.open();
        desk.type(QStringLiteral("  "));
        QVERIFY(!desk.button("Export 6 files")->isEnabled());
        desk.type(toQt(desk.file("papers")));
        QVERIFY(desk.button("Export 6 files")->isEnabled());
    }

    void aFolderIsTypedAsInAShell()
    {
        Desk desk;
        desk.open();
        const QTemporaryDir home;
        const QByteArray before = qgetenv("HOME");
        qputenv("HOME", home.path().toUtf8());
        desk.type(QStringLiteral(" ~/papers"));
        desk.button("Export 6 files")->click();
        qputenv("HOME", before);
        QVERIFY(desk.isClosed());
        QCOMPARE(QDir(home.filePath(QStringLiteral("papers"))).entryList(QDir::Files).size(), kStandardFiles);
    }

    void theWidthIsTheLastOneUntilSettingsAsksForAnother()
    {
        Desk desk;
        desk.open();
        QCOMPARE(desk.widthMm(), 88.9);
        desk.button("Export 6 files")->click();
        QVERIFY(desk.isClosed());
        desk.preferences().setFigureWidthMm(182);
        desk.open();
        desk.type(toQt(desk.file("wide")));
        QCOMPARE(desk.widthMm(), 182.0);
        shown<QAbstractButton>(desk.dialog(), [](const QAbstractButton& button) {
            return button.text() == QStringLiteral("One column");
        })->click();
        desk.button("Export 6 files")->click();
        QVERIFY(desk.isClosed());
        desk.open();
        QCOMPARE(desk.widthMm(), 88.9);
    }

    void sizeTextLettersAndFilesAreThoseOfTheLastFigure()
    {
        Desk desk;
        desk.open();
        desk.field<QDoubleSpinBox>("Height").setValue(60);
        desk.field<QDoubleSpinBox>("Text").setValue(10);
        auto& letters = desk.field<QComboBox>("Letters");
        QTest::keyClick(&letters, Qt::Key_Down);
        QCOMPARE(letters.currentText(), QStringLiteral("Outlines"));
        desk.box("runs.csv").click();
        desk.button("Export 5 files")->click();
        QVERIFY(desk.isClosed());
        desk.open();
        QCOMPARE(desk.field<QDoubleSpinBox>("Height").value(), 60.0);
        QCOMPARE(desk.field<QDoubleSpinBox>("Text").value(), 10.0);
        QCOMPARE(desk.field<QComboBox>("Letters").currentText(), QStringLiteral("Outlines"));
        QVERIFY(!desk.box("runs.csv").isChecked());
        QVERIFY(desk.button("Export 5 files"));
    }

    void enterTwiceKeepsWhatIsThere()
    {
        Desk desk;
        desk.put("fig-speedup.pdf");
        desk.put("caption.txt");
        desk.open();
        desk.button("Export 6 files")->setFocus();
        desk.enter();
        QVERIFY(desk.asks());
        QCOMPARE(desk.message(), QStringLiteral("2 files exist: fig-speedup.pdf, caption.txt"));
        QVERIFY(desk.button("Replace"));
        QVERIFY(!desk.button("Export 6 files"));
        QCOMPARE(desk.files().size(), 2);
        settle();
        QVERIFY(saveScreenshot(desk.dialog(), QStringLiteral("export-exists")));
        QVERIFY(clippedTexts(desk.dialog()).isEmpty());
        QCOMPARE(desk.focus(), desk.button("New names"));
        desk.enter();
        QVERIFY(desk.isClosed());
        QCOMPARE(*readFile(desk.file("fig-speedup.pdf")), std::string("mine"));
        QCOMPARE(*readFile(desk.file("caption.txt")), std::string("mine"));
        for (const char* name : {"fig-speedup-2.pdf", "fig-speedup-2.svg", "fig-speedup-2.csv", "runs-2.csv",
                                 "fig-speedup-2.json", "caption-2.txt"})
            QVERIFY2(fs::exists(desk.file(name)), name); // one number for what belongs together
    }

    void replaceIsReachedByTab()
    {
        Desk desk;
        desk.put("runs.csv");
        desk.open();
        desk.button("Export 6 files")->setFocus();
        desk.enter();
        QVERIFY(desk.asks());
        QCOMPARE(desk.message(), QStringLiteral("1 file exists: runs.csv"));
        QTest::keyClick(desk.focus(), Qt::Key_Backtab, Qt::ShiftModifier);
        QCOMPARE(desk.focus(), desk.button("Replace"));
        desk.enter();
        QVERIFY(desk.isClosed());
        QVERIFY(*readFile(desk.file("runs.csv")) != "mine");
        QCOMPARE(desk.files().size(), kStandardFiles);
    }

    void anotherChoiceTakesTheQuestionBack()
    {
        Desk desk;
        desk.put("runs.csv");
        desk.put("fig-speedup.png");
        desk.open();
        desk.button("Export 6 files")->click();
        QVERIFY(desk.asks());
        auto* png = shown<QCheckBox>(desk.dialog(), [](const QCheckBox& box) { return box.text().endsWith(u".png"); });
        png->click();
        QVERIFY(!desk.button("New names") && !desk.button("Replace"));
        QVERIFY(desk.button("Export 7 files")->isDefault());
        desk.button("Export 7 files")->click();
        QVERIFY(desk.asks());
        QCOMPARE(desk.message(), QStringLiteral("2 files exist: fig-speedup.png, runs.csv"));
        QCOMPARE(*readFile(desk.file("runs.csv")), std::string("mine"));
    }

    void aCaptionThatIsCorrectedAtTheQuestionIsTheOneThatIsWritten()
    {
        Desk desk;
        desk.put("runs.csv");
        desk.open();
        desk.button("Export 6 files")->click();
        QVERIFY(desk.asks());
        auto* caption = shown<QPlainTextEdit>(
            desk.dialog(), [](const QPlainTextEdit& text) { return text.accessibleName() == u"Caption"; });
        caption->setPlainText(QStringLiteral("As corrected."));
        QVERIFY(!desk.button("Replace"));
        desk.button("Export 6 files")->click();
        QVERIFY(desk.asks());
        desk.button("Replace")->click();
        QVERIFY(QTest::qWaitFor([&] { return desk.files().contains(QStringLiteral("caption.txt")); }));
        QVERIFY(QTest::qWaitFor(
            [&] { return readFile(desk.file("caption.txt")).value_or("").starts_with("As corrected."); }));
    }

    void theEndOfAnExportIsShownThoughTheDialogIsClosed()
    {
        Desk desk;
        desk.open();
        desk.button("Export 6 files")->click();
        QVERIFY(QTest::qWaitFor([&] { return !desk.files().isEmpty(); }));
        desk.dialog().reject();
        QVERIFY(desk.isSaid("6 files exported to"));
        QCOMPARE(desk.files().size(), kStandardFiles);
    }

    void nothingIsWrittenIfTheDialogIsClosedBefore()
    {
        Desk desk;
        desk.open();
        desk.button("Export 6 files")->click();
        desk.dialog().reject(); // the folder is being looked at
        settle();
        QCOMPARE(desk.files(), QStringList());
    }

    void aDialogIsClosedWithoutWaitingForItsWork()
    {
        struct SlowDialog : WorkingDialog
        {
            SlowDialog()
                : WorkingDialog("slow", nullptr)
            {
            }
            using WorkingDialog::runInBackground;
        };
        const auto disk = std::make_shared<std::latch>(1);
        bool isWritten = false;
        const QPointer<SlowDialog> dialog = new SlowDialog;
        dialog->open();
        dialog->runInBackground(
            [disk] {
                disk->wait();
                return true;
            },
            [&](bool written) { isWritten = written; });
        dialog->reject();
        QTest::qWait(50); // what is to be deleted is
        QVERIFY(dialog && !dialog->isVisible());
        disk->count_down();
        QVERIFY(waitFor([&] { return !dialog; }));
        QVERIFY(isWritten);
    }

    void thePreviewIsDrawnAsideAndOnlyTheNewestShown()
    {
        Desk desk;
        desk.open();
        auto& preview = *desk.dialog().findChild<PaperPreview*>();
        QVERIFY(waitFor([&] { return !allPixels(middleOf(preview), isDeutan); }));
        const QImage printed = middleOf(preview);
        preview.setSeen(PaperPreview::Seen::deutan);
        QCOMPARE(middleOf(preview), printed); // no event was handled: nothing was drawn meanwhile
        QVERIFY(waitFor([&] { return allPixels(middleOf(preview), isDeutan); }));
        QVERIFY(!allPixels(middleOf(preview), isGray));
        for (const auto seen : {PaperPreview::Seen::normal, PaperPreview::Seen::deutan, PaperPreview::Seen::gray})
            preview.setSeen(seen);
        QVERIFY(waitFor([&] { return allPixels(middleOf(preview), isGray); }));
        settle();
        QVERIFY(allPixels(middleOf(preview), isGray));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::ExportTest)
#include "test_export.moc"
