// SPDX-License-Identifier: MIT
// The editor's form as hands use it: wheel, Tab, undo; and where what is wrong stands.
#include "app/pages/editor/experimentform.h"
#include "app/shell/actions.h"
#include "app/widgets/text.h"
#include "core/spec/calibration.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/windowfixture.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QTabBar>
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

    QAction& action(ActionId id) { return *window().actions()[id]; }

    ExperimentForm* form;
};

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
    void aCalibrationIsShownAndNotOffered()
    {
        EditorFixture fixture(QStringLiteral("first-light"));
        QVERIFY(fixture.form);
        QVERIFY(!fixture.field<QComboBox>("Engine")); // one level is no choice
        const Draft trained = fixture.form->draft();
        fixture.form->setDraft(draftOf(spec::calibrationExperiment("local", {}, 1)));
        QVERIFY(fixture.field<QComboBox>("Engine"));
        QCOMPARE(fixture.field<QComboBox>("Engine")->currentText(), QStringLiteral("Calibration"));
        fixture.form->setDraft(trained);
        QVERIFY(!fixture.field<QComboBox>("Engine"));
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
        auto* seed = fixture.field<QSpinBox>("Seed");
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
