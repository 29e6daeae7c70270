// SPDX-License-Identifier: MIT
// The editor's form as hands use it: wheel, Tab, undo; and where what is wrong stands.
#include "app/pages/editor/experimentform.h"
#include "app/shell/actions.h"
#include "app/text/text.h"
#include "core/spec/calibration.h"
#include "core/spec/toml.h"
#include "core/store/queries.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/windowfixture.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QWheelEvent>

namespace ringside::test {

namespace {

/// An experiment of the three that come with Ringside, in the editor.
struct EditorFixture : WindowFixture
{
    explicit EditorFixture(const QString& experiment)
    {
        fillStore();
        show();
        go(PageId::editor, experiment);
        form = window().currentPage()->findChild<ExperimentForm*>();
    }

    template <class Field> Field* field(const char* name)
    {
        return shown<Field>(*form,
                            [&](const Field& field) { return field.accessibleName() == QString::fromLatin1(name); });
    }

    /// The text of the experiment, brought to the front.
    QPlainTextEdit* toml()
    {
        auto* tabs = window().currentPage()->findChild<QTabBar*>();
        tabs->setCurrentIndex(2);
        auto* edit = shown<QPlainTextEdit>(window(), [](const QPlainTextEdit& each) { return !each.isReadOnly(); });
        if (!edit || !waitFor([&] { return !edit->toPlainText().isEmpty(); }))
            return nullptr;
        edit->setFocus();
        return edit;
    }

    /// In place of what stands there.
    void type(const QString& text)
    {
        QPlainTextEdit* edit = toml();
        edit->selectAll();
        edit->insertPlainText(text);
    }

    int storedRepeats()
    {
        const auto db = store::Database::openForReading(store());
        const auto text = store::experimentText(*db, "first-light");
        return spec::parseExperiment(*text)->runs.repeats;
    }

    QAction& action(ActionId id) { return *window().actions()[id]; }

    ExperimentForm* form;
};

/// The text with another value of this key.
QString with(QString toml, const char* key, const char* value)
{
    const QRegularExpression line(QStringLiteral("^%1 *=.*$").arg(QLatin1String(key)),
                                  QRegularExpression::MultilineOption);
    return toml.replace(line, QStringLiteral("%1 = %2").arg(QLatin1String(key), QLatin1String(value)));
}

/// One notch, as from a hand: what the program sends itself does not go on to the parent.
void turnWheel(QWidget& over)
{
    const QPointF middle = QRectF(over.rect()).center();
    QWheelEvent event(middle, over.mapToGlobal(middle), {}, {0, -120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QSpontaneKeyEvent::setSpontaneous(&event);
    qApp->notify(&over, &event); // sendEvent() would make it one of the program
}

} // namespace

class EditingTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatIsWrongStandsAtItsFieldAndBlocksLaunch()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        auto& window = fixture.window();
        auto* tabs = window.currentPage()->findChild<QTabBar*>();
        auto* launch = window.actions()[ActionId::launch];
        QVERIFY(waitFor([&] { return launch->isEnabled(); }));
        window.activateWindow(); // there is no window manager here
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_Tab, Qt::ControlModifier); // the tabs by keyboard
        QCOMPARE(tabs->currentIndex(), 1);
        QTest::keyClick(&window, Qt::Key_Backtab, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(tabs->currentIndex(), 0);
        auto* repeats = fixture.field<QSpinBox>("Repeats");
        repeats->setValue(3); // warns
        QVERIFY(waitFor([&] { return repeats->accessibleDescription().contains(QStringLiteral("95 %")); }));
        QVERIFY(!repeats->property("invalid").toBool() && launch->isEnabled());
        auto* warmup = fixture.field<QSpinBox>("Warm-up iterations");
        warmup->setValue(500); // blocks
        QVERIFY(waitFor([&] { return warmup->property("invalid").toBool() && !launch->isEnabled(); }));
        warmup->setValue(2);
        QVERIFY(waitFor([&] { return !warmup->property("invalid").toBool() && launch->isEnabled(); }));
        auto* ranks = shown<QLineEdit>(*fixture.form,
                                       [](const QLineEdit& edit) { return edit.text() == QStringLiteral("1, 2"); });
        QVERIFY(ranks);
        QTest::keyClicks(ranks, QStringLiteral(", many"));
        QVERIFY(ranks->property("invalid").toBool());
        QVERIFY(waitFor([&] { return !launch->isEnabled(); }));
        QVERIFY(tabs->tabText(3).contains(QLatin1Char('2')));
        settle(); // the list of checks is laid out
        QVERIFY(saveScreenshot(window, QStringLiteral("editor-invalid")));
    }

    void aTakenNameIsTold()
    {
        EditorFixture fixture({});
        auto* name = fixture.field<QLineEdit>("Name");
        name->selectAll();
        QTest::keyClicks(name, QStringLiteral("first-light"));
        QVERIFY(waitFor([&] { return name->accessibleDescription().contains(QStringLiteral("exists")); }));
        fixture.go(PageId::editor, QStringLiteral("first-light"));
        QVERIFY(waitFor([&] { return name->accessibleDescription().isEmpty(); }));
    }

    void aCalibrationIsShownAndNotOffered()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        QVERIFY(fixture.form);
        auto* engine = fixture.field<QComboBox>("Engine");
        QVERIFY(engine);
        const QString calibration = QStringLiteral("Calibration");
        QCOMPARE(engine->findText(calibration), -1);
        const Draft trained = fixture.form->draft();
        fixture.form->setDraft(draftOf(spec::calibrationExperiment("local", {}, 1)));
        QCOMPARE(engine->currentText(), calibration);
        fixture.form->setDraft(trained);
        QCOMPARE(engine->findText(calibration), -1);
    }

    void theWheelOverAFieldScrollsTheForm()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        QVERIFY(fixture.form);
        const spec::Experiment before = fixture.form->draft().experiment;
        auto* bar = fixture.form->verticalScrollBar();
        QVERIFY(bar->maximum() > 0);
        const std::initializer_list<QWidget*> fields = {fixture.field<QComboBox>("Site"),
                                                        fixture.field<QComboBox>("Precision"),
                                                        fixture.field<QSpinBox>("Repeats")};
        for (QWidget* field : fields) {
            QVERIFY(field);
            for (const bool hasFocus : {false, true}) {
                if (hasFocus)
                    field->setFocus();
                bar->setValue(0);
                turnWheel(*field);
                QVERIFY2(bar->value() > 0, qPrintable(field->accessibleName()));
            }
        }
        QVERIFY(fixture.form->draft().experiment == before);
        QVERIFY(!fixture.window().currentPage()->hasUnsavedChanges());
    }

    void tabFollowsWhatIsSeenAndShowsWhereItIs()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        auto* site = fixture.field<QComboBox>("Site");
        site->setFocus();
        QStringList passed;
        for (int i = 0; i < 10; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            const auto* button = qobject_cast<QPushButton*>(QApplication::focusWidget());
            passed << (button ? button->text() : QApplication::focusWidget()->accessibleName());
        }
        QCOMPARE(passed.join(u'|'),
                 QStringLiteral("Factor|Levels|Remove factor Model|Factor|Levels|Remove factor Ranks|"
                                "Factor|Levels|Remove factor Plan|Add factor"));
        fixture.form->addFactor();
        const auto* added = QApplication::focusWidget();
        QCOMPARE(added->accessibleName(), QStringLiteral("Levels"));
        QVERIFY(waitFor([&] { return added->isVisible(); }));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QCOMPARE(qobject_cast<QPushButton*>(QApplication::focusWidget())->text(), QStringLiteral("Add factor"));
        const auto isInSight = [&] {
            const QWidget* focus = QApplication::focusWidget();
            const QRect place(focus->mapTo(fixture.form->viewport(), QPoint(0, 0)), focus->size());
            return fixture.form->viewport()->rect().contains(place);
        };
        QVERIFY(fixture.form->focusField("base")); // at the form's foot
        QVERIFY(waitFor(isInSight));
        fixture.window().currentPage()->findChild<QTabBar*>()->setFocus();
        fixture.form->verticalScrollBar()->setValue(0);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Backtab); // into the form from outside
        QVERIFY(fixture.form->isAncestorOf(QApplication::focusWidget()));
        QVERIFY(waitFor(isInSight));
    }

    void aWarningStandsUnderItsFieldAndMovesTheRestByItsHeight()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        auto* repeats = fixture.field<QSpinBox>("Repeats");
        auto* seed = fixture.field<QLineEdit>("Seed");
        const auto top = [&](const QWidget* widget) { return widget->mapTo(fixture.form->widget(), QPoint(0, 0)).y(); };
        const int before = top(seed) - top(repeats);
        repeats->setValue(4);
        const QString text = QStringLiteral("4 give no 95 % interval");
        const auto note = [&] {
            return shown<QLabel>(*fixture.form, [&](const QLabel& label) { return label.text().contains(text); });
        };
        QVERIFY(waitFor([&] { return note() != nullptr; }));
        settle();
        const int gap = top(note()) - (top(repeats) + repeats->height());
        QVERIFY2(gap >= 0 && gap <= 12, qPrintable(QString::number(gap)));
        const int moved = top(seed) - top(repeats) - before;
        QVERIFY2(moved >= note()->fontMetrics().height() && moved <= 40, qPrintable(QString::number(moved)));
        auto* tabs = fixture.window().currentPage()->findChild<QTabBar*>();
        tabs->setCurrentIndex(3);
        settle();
        auto* item = shown<QLabel>(*fixture.window().currentPage(), [&](const QLabel& label) {
            return label.text().contains(text) && !fixture.form->isAncestorOf(&label) &&
                   label.mapTo(label.window(), QPoint(0, 0)).y() > tabs->mapTo(tabs->window(), QPoint(0, 0)).y();
        });
        QVERIFY(item);
        const int under =
            item->mapTo(item->window(), QPoint(0, 0)).y() - tabs->mapTo(tabs->window(), QPoint(0, tabs->height())).y();
        QVERIFY2(under <= 40, qPrintable(QString::number(under)));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("editor-warning")), QStringList());
    }

    void whatAConditionSetsIsToldBesideTheFields()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        const QString told = QStringLiteral("Batch per rank = 16 where Model = AlexNet");
        QVERIFY(says(*fixture.form, told));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("editor-conditions")), QStringList());
        buttonOf(*fixture.form, QStringLiteral("Show in TOML"))->click();
        auto* text = qobject_cast<QPlainTextEdit*>(QApplication::focusWidget());
        QVERIFY(text && text->toPlainText().contains(QStringLiteral("[[when]]")));
        fixture.go(PageId::editor, QStringLiteral("aggregation-plans"));
        QVERIFY(waitFor([&] { return fixture.form->draft().experiment.name == "aggregation-plans"; }));
        QVERIFY(!says(*fixture.form, told));
    }

    void theFormFollowsTheTextAndTheTextStaysAsTyped()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        QPlainTextEdit* toml = fixture.toml();
        const QString text = with(toml->toPlainText(), "repeats", "7 # one more");
        fixture.type(text);
        QCOMPARE(fixture.form->draft().experiment.runs.repeats, 7);
        QCOMPARE(fixture.field<QSpinBox>("Repeats")->value(), 7);
        QVERIFY(fixture.window().currentPage()->hasUnsavedChanges());
        QTest::keyClick(toml, Qt::Key_S, Qt::ControlModifier);
        QVERIFY(waitFor([&] { return !fixture.window().currentPage()->hasUnsavedChanges(); }));
        QCOMPARE(fixture.storedRepeats(), 7);
        fixture.field<QLineEdit>("Name")->setFocus(); // to look away takes nothing away
        settle();
        QCOMPARE(toml->toPlainText(), text);
    }

    void aTextThatCannotBeReadIsKeptAndNotSavedOver()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        QPlainTextEdit* toml = fixture.toml();
        const Draft before = fixture.form->draft();
        const QString text = with(toml->toPlainText(), "repeats", "six");
        fixture.type(text);
        settle();
        QVERIFY(fixture.form->draft().experiment == before.experiment);
        QVERIFY(fixture.window().currentPage()->hasUnsavedChanges());
        QVERIFY(says(fixture.window(), QStringLiteral("The form is unchanged.")));
        QVERIFY(!fixture.action(ActionId::launch).isEnabled());
        QTest::keyClick(toml, Qt::Key_S, Qt::ControlModifier);
        QVERIFY(waitFor([&] { return says(fixture.window(), QStringLiteral("Not saved. TOML, line ")); }));
        QVERIFY(fixture.window().currentPage()->hasUnsavedChanges());
        QCOMPARE(toml->toPlainText(), text);
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("editor-toml-unread")), QStringList());

        QVERIFY(!fixture.field<QLineEdit>("Question")->isEnabled()); // what is changed there would be lost
        QVERIFY(says(fixture.window(), QStringLiteral("The TOML cannot be read. The form waits until it can.")));
        QTest::keyClick(toml, Qt::Key_Insert, Qt::AltModifier);
        auto* matrix = fixture.window().currentPage()->findChild<QTableView*>();
        QVERIFY(!matrix->model()->flags(matrix->model()->index(0, 0)).testFlag(Qt::ItemIsUserCheckable));
        QVERIFY(!matrix->model()->setData(matrix->model()->index(0, 0), Qt::Unchecked, Qt::CheckStateRole));
        QVERIFY(fixture.form->draft().experiment == before.experiment);
        QVERIFY(fixture.form->draft().factors == before.factors);

        fixture.window().go({.page = PageId::experiments});
        fixture.reopen();
        QVERIFY(waitFor([&] { return fixture.window().currentPage() != nullptr; }));
        fixture.go(PageId::editor, QStringLiteral("first-light"));
        fixture.form = fixture.window().currentPage()->findChild<ExperimentForm*>();
        toml = fixture.toml();
        QCOMPARE(toml->toPlainText(), text);
        QVERIFY(!fixture.field<QLineEdit>("Question")->isEnabled());

        fixture.type(QString(text).replace(QStringLiteral("six"), QStringLiteral("8")));
        QCOMPARE(fixture.form->draft().experiment.runs.repeats, 8);
        QVERIFY(!says(fixture.window(), QStringLiteral("The form is unchanged.")));
        QVERIFY(fixture.field<QLineEdit>("Question")->isEnabled());
    }

    void discardingATextBringsTheFormsBack()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        const QString text = fixture.toml()->toPlainText();
        fixture.type(QStringLiteral("[["));
        buttonOf(fixture.window(), QStringLiteral("Discard this text"))->click();
        QVERIFY(waitFor([&] { return fixture.toml()->toPlainText() == text; }));
        QVERIFY(!fixture.window().currentPage()->hasUnsavedChanges());
        fixture.action(ActionId::undo).trigger();
        QVERIFY(waitFor([&] { return fixture.toml()->toPlainText() == QStringLiteral("[["); }));
    }

    void theFormLeavesNumbersOfAFileAsTheyAre()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        fixture.toml();
        QString text = with(fixture.toml()->toPlainText(), "repeats", "1500");
        text = with(text, "iterations", "2000000");
        text = with(text, "warmup", "-1");
        text = with(text, "seed", "9223372036854775807");
        fixture.type(text);
        auto* question = fixture.field<QLineEdit>("Question");
        question->setFocus();
        QTest::keyClick(question, Qt::Key_End);
        QTest::keyClicks(question, QStringLiteral("?"));
        const spec::Runs& runs = fixture.form->draft().experiment.runs;
        QCOMPARE(runs.repeats, 1500);
        QCOMPARE(runs.iterations, 2'000'000);
        QCOMPARE(runs.warmup, -1); // what cannot be is for the checks to say
        QCOMPARE(runs.seed, std::uint64_t(9'223'372'036'854'775'807));
        auto* seed = fixture.field<QLineEdit>("Seed");
        QCOMPARE(seed->text(), QStringLiteral("9223372036854775807"));
        seed->setFocus();
        seed->selectAll();
        QTest::keyClicks(seed, QStringLiteral("9999999999999999999")); // no integer of TOML
        QCOMPARE(fixture.form->draft().experiment.runs.seed, std::uint64_t(999'999'999'999'999'999));
        seed->selectAll();
        QTest::keyClicks(seed, QStringLiteral("5"));
        QCOMPARE(fixture.form->draft().experiment.runs.seed, std::uint64_t(5));
    }

    void aFolderMayHaveCommasInItsName()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        QString text = with(fixture.toml()->toPlainText(), "data", "\"folder\"\ndata_path = \"/data/red, green\"");
        QVERIFY(text.contains(QStringLiteral("data_path")));
        fixture.type(text);
        fixture.window().currentPage()->findChild<QTabBar*>()->setCurrentIndex(0);
        const auto folder = [&] { return fixture.form->draft().experiment.fixed.find("data_path")->second; };
        auto* question = fixture.field<QLineEdit>("Question");
        question->setFocus();
        QTest::keyClicks(question, QStringLiteral("?")); // the form is read
        QVERIFY(folder() == Value("/data/red, green"));
        auto* field = fixture.field<QLineEdit>("Data folder");
        QVERIFY(field);
        field->setFocus();
        QTest::keyClick(field, Qt::Key_End);
        QTest::keyClicks(field, QStringLiteral(" [2]"));
        QVERIFY(folder() == Value("/data/red, green [2]"));
    }

    void oneOfManyExcludedCellsIsCountedAgainWhereItStands()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        fixture.type(fixture.toml()->toPlainText() + QStringLiteral("\n[[exclude]]\nmodel = \"alexnet\"\n"));
        fixture.window().currentPage()->findChild<QTabBar*>()->setCurrentIndex(0);
        auto* table = fixture.window().currentPage()->findChild<QTableView*>();
        const auto ticks = [&] {
            QString all;
            for (int row = 0; row < table->model()->rowCount(); ++row) {
                const auto state = table->model()->index(row, 0).data(Qt::CheckStateRole);
                all += QLatin1Char(state == Qt::Checked ? 'x' : '-');
            }
            return all;
        };
        QVERIFY(waitFor([&] { return ticks() == QStringLiteral("---xxx"); }));
        table->setFocus();
        table->setCurrentIndex(table->model()->index(0, 0));
        const auto after = [&](Qt::Key key) {
            QTest::keyClick(table, key);
            settle();
            return ticks();
        };
        QCOMPARE(after(Qt::Key_Down), QStringLiteral("---xxx"));
        QCOMPARE(after(Qt::Key_Space), QStringLiteral("-x-xxx"));
        QCOMPARE(after(Qt::Key_Down), QStringLiteral("-x-xxx"));
        QCOMPARE(after(Qt::Key_Space), QStringLiteral("-xxxxx"));
        QCOMPARE(after(Qt::Key_Space), QStringLiteral("-x-xxx"));
        QCOMPARE(fixture.form->draft().experiment.exclude.size(), std::size_t(2));
    }

    void aNumberThatIsTooLargeIsNotToldToGoWithoutQuotes()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        auto* size = fixture.field<QLineEdit>("Image size");
        QVERIFY(size);
        size->setFocus();
        size->selectAll();
        QTest::keyClicks(size, QStringLiteral("99999999"));
        QVERIFY(waitFor([&] { return says(fixture.window(), QStringLiteral("found “99999999”")); }));
        QVERIFY(!says(fixture.window(), QStringLiteral("without quotes")));
    }

    void exportIsWrittenWhileTheSiteIsAsked()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        const auto path = fixture.folder() / "out.toml";
        fixture.action(ActionId::exportToml).trigger();
        auto* dialog = qobject_cast<QFileDialog*>(openDialog(fixture.window()));
        QVERIFY(dialog);
        Q_EMIT dialog->fileSelected(toQt(path.string()));
        Q_EMIT dialog->fileSelected(toQt((fixture.folder() / "again.toml").string())); // before the first is written
        dialog->reject();
        QVERIFY(waitFor([&] { return fs::exists(path) && fs::exists(fixture.folder() / "again.toml"); }));
    }

    void undoBringsBackAChoice()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        const Draft before = fixture.form->draft();
        QAction& undo = fixture.action(ActionId::undo);
        QVERIFY(!undo.isEnabled());
        auto* precision = fixture.field<QComboBox>("Precision");
        const QString chosen = precision->currentText();
        precision->setFocus();
        QTest::keyClick(precision, Qt::Key_Down);
        QVERIFY(precision->currentText() != chosen);
        QVERIFY(undo.isEnabled());
        QTest::keyClick(precision, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(precision->currentText(), chosen);
        QVERIFY(fixture.form->draft() == before);
        QVERIFY(!undo.isEnabled() && !fixture.window().currentPage()->hasUnsavedChanges());
        fixture.action(ActionId::redo).trigger();
        QVERIFY(precision->currentText() != chosen);
    }

    void undoGoesBackThroughFieldsAndTakesTypingAsOne()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        const Draft before = fixture.form->draft();
        auto* name = fixture.field<QLineEdit>("Name");
        name->setFocus();
        QTest::keyClicks(name, QStringLiteral("-two"));
        auto* repeats = fixture.field<QSpinBox>("Repeats");
        repeats->setFocus();
        QTest::keyClick(repeats, Qt::Key_Up);
        QTest::keyClick(repeats, Qt::Key_Up);
        auto* levels = shown<QLineEdit>(*fixture.form,
                                        [](const QLineEdit& edit) { return edit.text() == QStringLiteral("1, 2"); });
        QVERIFY(levels);
        levels->setFocus();
        QTest::keyClicks(levels, QStringLiteral(", 3"));
        QTest::keyClick(levels, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(levels->text(), QStringLiteral("1, 2"));
        QVERIFY2(levels->hasFocus(), "the row stays");
        QCOMPARE(repeats->value(), before.experiment.runs.repeats + 2);
        QTest::keyClick(levels, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(repeats->value(), before.experiment.runs.repeats);
        QCOMPARE(name->text(), QStringLiteral("first-light-two"));
        QTest::keyClick(levels, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(name->text(), QStringLiteral("first-light"));
        QVERIFY(fixture.form->draft() == before);
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::EditingTest)
#include "test_editing.moc"
