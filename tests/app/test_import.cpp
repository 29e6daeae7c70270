// SPDX-License-Identifier: MIT
// Dialog Import logs: what it shows of logs, asks for and stores.
#include "app/dialogs/importdialog.h"
#include "app/shell/actions.h"
#include "app/text/text.h"
#include "core/spec/calibration.h"
#include "core/spec/toml.h"
#include "core/store/queries.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/windowfixture.h"
#include "tests/support/built.h"
#include "tests/support/lenetexperiment.h"

#include <QAbstractItemModel>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QTest>

namespace ringside::test {

namespace {

QString logOf(const char* name)
{
    return toQt((sourceFolder() / "tests/logs/formats" / (std::string(name) + ".log")).string());
}

QString links(const char* name)
{
    return toQt((sourceFolder() / "tests/logs/links" / (std::string(name) + ".log")).string());
}

struct ImportFixture : WindowFixture
{
    ImportFixture()
    {
        show();
        open();
    }

    void open()
    {
        window().activateWindow();
        waitFor([this] { return window().isActiveWindow(); });
        QTest::keyClick(&window(), Qt::Key_I, Qt::ControlModifier);
        waitFor([this] { return openDialog(window()) != nullptr; });
        dialog = qobject_cast<ImportDialog*>(openDialog(window()));
    }

    void add(const QStringList& paths, int rows)
    {
        dialog->add(paths);
        QVERIFY(waitFor([&] { return table().isEnabled() && model().rowCount() == rows; }));
    }

    QTableView& table() { return *dialog->findChild<QTableView*>(); }
    QAbstractItemModel& model() { return *table().model(); }
    QString cell(int row, int column) { return model().index(row, column).data().toString(); }
    int rowOf(const QString& log)
    {
        int row = 0;
        while (row < model().rowCount() && !cell(row, 0).startsWith(log))
            ++row;
        return row;
    }
    bool mark(int row, bool set)
    {
        return model().setData(model().index(row, 0), set ? Qt::Checked : Qt::Unchecked, Qt::CheckStateRole);
    }

    QString details()
    {
        return shown<QPlainTextEdit>(*dialog,
                                     [](const QPlainTextEdit& text) {
                                         return text.accessibleName() == QStringLiteral("Summary of the log");
                                     })
            ->toPlainText();
    }

    QPushButton* importing()
    {
        return shown<QPushButton>(
            *dialog, [](const QPushButton& button) { return button.text().startsWith(QStringLiteral("Import")); });
    }

    std::vector<store::RunRow> storedRuns()
    {
        const auto db = store::Database::openForReading(WindowFixture::store());
        const auto runs = db ? store::runs(*db, {}) : Result<std::vector<store::RunRow>>();
        return runs ? *runs : std::vector<store::RunRow>();
    }

    /// By the keyboard, in the field that has the focus.
    static void type(const QString& text)
    {
        QTest::keyClicks(QApplication::focusWidget(), text);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }

    ImportDialog* dialog = nullptr;
};

} // namespace

class ImportTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theFirstPageOffersIt()
    {
        WindowFixture fixture;
        fixture.show();
        auto* offer = shown<QPushButton>(fixture.window(), [](const QPushButton& each) {
            return each.accessibleName() == QStringLiteral("Import…: Import training logs…");
        });
        QVERIFY(offer);
        offer->click();
        QVERIFY(waitFor([&] { return qobject_cast<ImportDialog*>(openDialog(fixture.window())) != nullptr; }));
    }

    void logsAreReadAskedAboutAndStored()
    {
        ImportFixture fixture;
        QVERIFY(fixture.dialog);
        QCOMPARE(lookAt(*fixture.dialog, QStringLiteral("import-empty")).join(QLatin1Char(10)), QString());
        QVERIFY(!fixture.importing()->isEnabled());
        fixture.add({logOf("mxnet.module"), logOf("caffe.bvlc")}, 2);
        QCOMPARE(fixture.cell(0, 1), QStringLiteral("Caffe"));
        QCOMPARE(fixture.cell(1, 1), QStringLiteral("MXNet"));
        QCOMPARE(fixture.cell(1, 2), QStringLiteral("2"));
        QVERIFY(fixture.details().contains(QStringLiteral("It does not say: Global batch, Ranks")));
        QVERIFY(fixture.details().contains(QStringLiteral("caffe.bvlc.log:3: ")));
        QVERIFY(!fixture.importing()->isEnabled());
        QVERIFY(isLabelled(*fixture.dialog, QStringLiteral("Global batch")));
        QVERIFY(isLabelled(*fixture.dialog, QStringLiteral("Ranks")));
        settle();
        const auto* bar = fixture.dialog->findChild<QScrollArea*>()->verticalScrollBar();
        QTRY_VERIFY2(!bar->isVisible(), "the screen has room for all questions");
        QCOMPARE(lookAt(*fixture.dialog, QStringLiteral("import-asked")).join(QLatin1Char(10)), QString());

        ImportFixture::type(QStringLiteral("64"));
        ImportFixture::type(QStringLiteral("2"));
        QVERIFY(waitFor([&] { return fixture.importing()->isEnabled(); }));
        QCOMPARE(fixture.importing()->text(), QStringLiteral("Import 2 runs"));
        QVERIFY(fixture.details().contains(QStringLiteral("of all 2 ranks, the median")));
        QVERIFY(fixture.storedRuns().empty());
        QTest::mouseClick(fixture.importing(), Qt::LeftButton);
        QVERIFY(waitFor([&] { return fixture.storedRuns().size() == 2; }));
        QVERIFY(waitFor([&] { return says(*fixture.window().currentPage(), QStringLiteral("caffe.bvlc")); }));
    }

    void whatIsBeingStoredIsStoredToItsEnd()
    {
        ImportFixture fixture;
        QVERIFY(fixture.dialog);
        fixture.add({logOf("mxnet.prterun")}, 1);
        QTest::mouseClick(fixture.importing(), Qt::LeftButton);
        QTest::keyClick(fixture.dialog, Qt::Key_Escape); // before the store has answered
        QVERIFY(fixture.dialog->isVisible());
        QVERIFY(!buttonOf(*fixture.dialog, QStringLiteral("Cancel"))->isEnabled());
        QVERIFY(says(*fixture.dialog, QStringLiteral("Storing the runs…")));
        QVERIFY(waitFor([&] { return !openDialog(fixture.window()); }));
        QCOMPARE(fixture.storedRuns().size(), std::size_t(1));
        QVERIFY(waitFor([&] { return says(*fixture.window().currentPage(), QStringLiteral("mxnet.prterun")); }));
    }

    void aLogsOwnSummaryIsShown()
    {
        ImportFixture fixture;
        fixture.add({logOf("horovod.mpirun")}, 1);
        QVERIFY(fixture.details().contains(QStringLiteral("The log's own summary: 436.8 items/s of all ranks")));
    }

    void aLogThatIsLeftOutIsNotAskedAboutNorStored()
    {
        ImportFixture fixture;
        QVERIFY(fixture.dialog);
        const fs::path other = fixture.folder() / "other.log";
        QVERIFY(writeFileAtomically(other, "nothing that trains\n").has_value());
        fixture.add({logOf("mxnet.prterun"), logOf("caffe.bvlc"), toQt(other.string())}, 3);
        QVERIFY(!fixture.importing()->isEnabled());
        QVERIFY(says(*fixture.dialog, QStringLiteral("1 log has no readable rate")));
        const int unknown = fixture.rowOf(QStringLiteral("other.log")), caffe = fixture.rowOf(QStringLiteral("caffe"));
        QVERIFY(!(fixture.model().flags(fixture.model().index(unknown, 0)) & Qt::ItemIsUserCheckable));
        QVERIFY(fixture.mark(caffe, false));
        QCOMPARE(fixture.importing()->text(), QStringLiteral("Import 1 run"));
        QVERIFY(fixture.importing()->isEnabled());
        QVERIFY(fixture.mark(caffe, true));
        QVERIFY(!fixture.importing()->isEnabled());
        QVERIFY(fixture.mark(caffe, false));
        QTest::mouseClick(fixture.importing(), Qt::LeftButton);
        QVERIFY(waitFor([&] { return !fixture.storedRuns().empty(); }));
        QCOMPARE(fixture.storedRuns().size(), std::size_t(1));
        // The window names what nothing could be read of, and not what its user left out.
        QVERIFY(
            waitFor([&] { return says(*fixture.window().currentPage(), QStringLiteral("other.log is left out.")); }));
        QVERIFY(says(*fixture.window().currentPage(), QStringLiteral("No line of it has a form that Ringside knows.")));
        QVERIFY(!says(*fixture.window().currentPage(), QStringLiteral("caffe.bvlc.log")));
    }

    void theWindowNamesTheLogsOfAFolderThatAnImportLeftOut()
    {
        ImportFixture fixture;
        QVERIFY(fixture.dialog);
        const fs::path logs = fixture.folder() / "logs";
        fs::create_directories(logs);
        fs::copy_file(toUtf8(logOf("mxnet.prterun")), logs / "good.log");
        QVERIFY(writeFileAtomically(logs / "fast.log", "Epoch[0] Batch [10]\tSpeed: 1e308 samples/sec\n").has_value());
        fs::create_symlink("/proc/self/mem", logs / "unreadable.log");
        fixture.add({toQt(logs.string())}, 2);
        QVERIFY(fixture.importing()->isEnabled());
        QTest::mouseClick(fixture.importing(), Qt::LeftButton);
        const auto windowSays = [&](const char* text) {
            return waitFor([&] { return says(*fixture.window().currentPage(), QString::fromUtf8(text)); });
        };
        QVERIFY(windowSays("2 logs or runs were not imported. The first: "));
        QVERIFY(windowSays("logs/fast.log is left out. It has lines of MXNet, but no rate that can be used."));
        auto* details = shown<QPushButton>(*fixture.window().currentPage(), [](const QPushButton& button) {
            return button.text() == QStringLiteral("Details");
        });
        QVERIFY(details);
        details->click();
        QVERIFY(shown<QPlainTextEdit>(*fixture.window().currentPage(), [](const QPlainTextEdit& text) {
            return text.toPlainText().contains(QStringLiteral("unreadable.log: Input/output error. It was skipped."));
        }));
        QCOMPARE(fixture.storedRuns().size(), std::size_t(1));
    }

    void whatCannotBeReadIsNamed()
    {
        ImportFixture fixture;
        QVERIFY(fixture.dialog);
        const fs::path logs = fixture.folder() / "logs";
        fs::create_directories(logs);
        fs::create_symlink("/proc/self/mem", logs / "bad.log"); // a file that cannot be read at its begin
        fs::copy_file(toUtf8(logOf("caffe.bvlc")), logs / "good.log");
        fixture.add({toQt(logs.string())}, 1);
        QVERIFY(says(*fixture.dialog, QStringLiteral("1 log cannot be read and was skipped: ")));
        QVERIFY(says(*fixture.dialog, QStringLiteral("logs/bad.log: Input/output error.")));
        QCOMPARE(lookAt(*fixture.dialog, QStringLiteral("import-unreadable")).join(QLatin1Char(10)), QString());
    }

    void whatIsThereAlreadyIsSaidAndNothingIsStored()
    {
        ImportFixture fixture;
        fixture.add({logOf("mxnet.prterun")}, 1);
        QTest::mouseClick(fixture.importing(), Qt::LeftButton);
        QVERIFY(waitFor([&] { return !openDialog(fixture.window()) && fixture.storedRuns().size() == 1; }));
        fixture.open();
        QVERIFY(fixture.dialog);
        fixture.add({logOf("mxnet.prterun")}, 1);
        QTest::mouseClick(fixture.importing(), Qt::LeftButton);
        QVERIFY(waitFor([&] { return says(*fixture.dialog, QStringLiteral("has been imported before")); }));
        QCOMPARE(lookAt(*fixture.dialog, QStringLiteral("import-known")).join(QLatin1Char(10)), QString());
        QCOMPARE(fixture.storedRuns().size(), std::size_t(1));
    }

    void whatIsBeingStoredStaysAsItWasRead()
    {
        ImportFixture fixture;
        fixture.add({logOf("mxnet.prterun")}, 1);
        const auto files = [&] {
            return shown<QPushButton>(*fixture.dialog, [](const QPushButton& button) {
                return button.text().startsWith(QStringLiteral("Add &files"));
            });
        };
        QVERIFY(files()->isEnabled());
        QTest::mouseClick(fixture.importing(), Qt::LeftButton);
        QVERIFY(!files()->isEnabled());
        fixture.dialog->add({logOf("caffe.bvlc")}); // as by a choice of files that was open
        QVERIFY(waitFor([&] { return !openDialog(fixture.window()) && fixture.storedRuns().size() == 1; }));
    }

    void aNewNameStaysAsItIsTyped()
    {
        ImportFixture fixture;
        fixture.dialog->reject();
        for (const char* name : {"caffe-study", "put-aside"}) {
            const auto saved =
                save(fixture.session(), *spec::parseExperiment(lenetExperiment(name, "ranks = [1]", 1, 4)));
            QVERIFY2(saved.has_value(), saved ? "" : saved.error().text().c_str());
        }
        QVERIFY(save(fixture.session(), spec::calibrationExperiment("local", {}, 1)).has_value());
        fixture.session().request(&fixture.window(), calling(&Conductor::setArchived, std::string("put-aside"), true));
        const auto& known = fixture.session().experiments().rows();
        QVERIFY(waitFor([&] {
            return known.size() == 3 && std::ranges::count(known, true, &store::ExperimentRow::archived) == 1;
        }));
        fixture.open();
        QVERIFY(fixture.dialog);
        auto* name = shown<QComboBox>(*fixture.dialog, [](const QComboBox& combo) { return combo.isEditable(); });
        QVERIFY(name);
        QCOMPARE(name->count(), 2); // a new one, and caffe-study
        fixture.add({logOf("mxnet.prterun")}, 1);
        name->setFocus();
        for (const char* typed : {"caffe", "Caffe-Study"}) {
            name->lineEdit()->selectAll();
            QTest::keyClicks(name->lineEdit(), QLatin1String(typed));
            QCOMPARE(name->currentText(), QLatin1String(typed));
        }
        QTest::keyClick(name->lineEdit(), Qt::Key_Return); // imports
        QVERIFY(waitFor([&] { return fixture.storedRuns().size() == 1; }));
        QCOMPARE(fixture.storedRuns().front().experiment, std::string("Caffe-Study"));
    }

    void aTableOfLinksIsShownAskedAboutAndStoredAsACalibration()
    {
        ImportFixture fixture;
        QVERIFY(fixture.dialog);
        fixture.add({links("osu.plain")}, 1);
        QCOMPARE(fixture.cell(0, 1), QStringLiteral("OSU Micro-Benchmarks, all-reduce"));
        QVERIFY(fixture.details().contains(QStringLiteral("It does not say: Ranks, Nodes")));
        QVERIFY(!fixture.importing()->isEnabled());
        ImportFixture::type(QStringLiteral("8"));
        ImportFixture::type(QStringLiteral("2"));
        QVERIFY(waitFor([&] { return fixture.importing()->isEnabled(); }));
        QVERIFY(fixture.details().contains(QStringLiteral("10 sizes from")));
        QVERIFY(fixture.details().contains(QStringLiteral("Latency 4")));
        QCOMPARE(lookAt(*fixture.dialog, QStringLiteral("import-links")).join(QLatin1Char(10)), QString());
        ImportFixture::type(QStringLiteral("alder"));
        QVERIFY(waitFor([&] { return fixture.importing()->isEnabled(); }));
        QTest::mouseClick(fixture.importing(), Qt::LeftButton);
        QVERIFY(waitFor([&] { return fixture.storedRuns().size() == 1; }));
        QCOMPARE(fixture.storedRuns().front().site, std::string("alder"));
    }

    void allOfItStaysOnTheScreenWhateverIsAsked()
    {
        ImportFixture fixture;
        fixture.add({logOf("mxnet.module"), logOf("caffe.bvlc"), links("osu.plain")}, 3);
        const QRect screen = fixture.dialog->screen()->availableGeometry();
        fixture.dialog->move(0, screen.bottom() - fixture.dialog->height()); // the next question finds no room below
        auto* line = shown<QLineEdit>(*fixture.dialog, [](const QLineEdit& field) {
            return field.placeholderText().startsWith(QStringLiteral("A line of a log"));
        });
        QVERIFY(line);
        line->setText(QStringLiteral("nothing of that"));
        settle();
        const auto fits = [&] {
            const QRect frame = fixture.dialog->frameGeometry();
            return frame.top() >= screen.top() && frame.bottom() <= screen.bottom();
        };
        QVERIFY2(fits(), qPrintable(QString::number(fixture.dialog->height())));
        fixture.theme().apply(Appearance::light, FontChoice::ringside, 1.3);
        line->clear();
        line->setText(QStringLiteral("nothing of that, either"));
        settle();
        QVERIFY2(fits(), qPrintable(QString::number(fixture.dialog->height())));
    }

    void aPastedLineIsExplainedAndEnterImportsNothing()
    {
        ImportFixture fixture;
        fixture.add({logOf("mxnet.module")}, 1);
        auto* line = shown<QLineEdit>(*fixture.dialog, [](const QLineEdit& field) {
            return field.placeholderText().startsWith(QStringLiteral("A line of a log"));
        });
        QVERIFY(line);
        line->setFocus();
        const auto explains = [&](const char* words) {
            return waitFor([&] {
                return shown<QPlainTextEdit>(*fixture.dialog, [&](const QPlainTextEdit& text) {
                    return text.toPlainText().contains(QLatin1String(words));
                });
            });
        };
        line->setText(QStringLiteral("1024   2.31"));
        QVERIFY(explains("a row of a table of links"));
        line->setText(QStringLiteral("nothing of that"));
        QVERIFY(explains("No form has such a line."));
        line->setText(QStringLiteral("Epoch[0] Batch [20]\tSpeed: 1000.00 samples/sec\taccuracy=0.1"));
        QVERIFY(explains("= 1000"));
        QCOMPARE(lookAt(*fixture.dialog, QStringLiteral("import-line")).join(QLatin1Char(10)), QString());
        QTest::keyClick(line, Qt::Key_Return);
        QTest::qWait(300);
        QVERIFY(fixture.dialog->isVisible());
        QVERIFY(fixture.storedRuns().empty());
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::ImportTest)
#include "test_import.moc"
