// SPDX-License-Identifier: MIT
// Pages choose, focus and offer things by themselves when they come, are empty, filter, or have nothing left to do.
#include "app/dialogs/launchdialog.h"
#include "app/pages/editor/experimentform.h"
#include "app/shell/actions.h"
#include "app/text/text.h"
#include "core/base/findprogram.h"
#include "core/protocol/installedengine.h"
#include "core/spec/toml.h"
#include "core/store/queries.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"
#include "tests/support/lenetexperiment.h"

#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <unistd.h>

namespace ringside::test {

namespace {

const QString kMeasured = QString::fromLatin1(kMeasuredExperiment);

const QWidget& pageOf(WindowFixture& fixture)
{
    return *fixture.window().currentPage();
}

Result<spec::Experiment> storedExperiment(const fs::path& store)
{
    TRY_ASSIGN(const auto db, store::Database::openForReading(store));
    TRY_ASSIGN(const std::string text, store::experimentText(db, kMeasuredExperiment));
    return spec::parseExperiment(text);
}

/// The experiment that Compare shows.
QString compared(WindowFixture& fixture)
{
    return fixture.window().currentPage()->windowName();
}

void press(WindowFixture& fixture, Qt::Key key)
{
    QTest::keyClick(&fixture.window(), key, Qt::ControlModifier);
    settle();
}

} // namespace

class OffersTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void compareOpensWhatHasResultsThenWhatWasShownLast()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        press(fixture, Qt::Key_3);
        QVERIFY(waitFor([&] { return compared(fixture) == kMeasured; }));
        fixture.go(PageId::compare, QStringLiteral("first-light"));
        QVERIFY(waitFor([&] { return compared(fixture) == QStringLiteral("first-light"); }));
        fixture.reopen();
        QVERIFY(waitFor([&] { return fixture.window().currentPage() != nullptr; }));
        fixture.go(PageId::compare);
        QVERIFY(waitFor([&] { return compared(fixture) == QStringLiteral("first-light"); }));
    }

    void anEmptyPageFocusesItsFirstAction()
    {
        WindowFixture fixture;
        fixture.show();
        const std::pair<Qt::Key, QString> ways[] = {{Qt::Key_2, QStringLiteral("Experiments")},
                                                    {Qt::Key_3, QStringLiteral("Experiments")},
                                                    {Qt::Key_1, QStringLiteral("Run the example")},
                                                    {Qt::Key_2, QStringLiteral("Experiments")}};
        for (const auto& [key, first] : ways) {
            press(fixture, key);
            const auto* focus = qobject_cast<const QPushButton*>(QApplication::focusWidget());
            QVERIFY(focus);
            QCOMPARE(focus->text(), first);
            QVERIFY(fixture.window().currentPage()->isAncestorOf(focus));
        }
    }

    void aCheckInTheLaunchDialogLeadsToItsField()
    {
        WindowFixture fixture;
        fixture.show();
        fixture.window().go({.page = PageId::editor, .toml = toQt(lenetExperiment("few", "ranks = [1]", 2, 8))});
        auto* launch = fixture.window().actions()[ActionId::launch];
        QVERIFY(waitFor([&] { return launch->isEnabled(); }));
        launch->trigger();
        QVERIFY(waitFor([&] { return openDialog(fixture.window()); }));
        auto* go = shown<QPushButton>(*openDialog(fixture.window()), [](const QPushButton& button) {
            return button.text() == QStringLiteral("Go to field");
        });
        QVERIFY(go);
        go->click();
        QVERIFY(waitFor([&] { return !openDialog(fixture.window()); }));
        const auto* focus = QApplication::focusWidget();
        QVERIFY(focus);
        QCOMPARE(focus->accessibleName(), QStringLiteral("Repeats"));
    }

    void theLaunchDialogSaysHowMuchItCanBecome()
    {
        WindowFixture fixture;
        fixture.show();
        auto* dialog = new LaunchDialog(fixture.theme(), &fixture.window(), QStringLiteral("alder"), 12);
        dialog->open();
        QVERIFY(says(*dialog, QStringLiteral("known once the site has answered")));
        dialog->expect(5);
        QVERIFY(says(*dialog, QStringLiteral("< 0.01")));
        dialog->expect(1.5 * 3600);
        QVERIFY(says(*dialog, QStringLiteral("≈ 1.50")));
        LaunchPreview preview;
        preview.site = "alder";
        preview.runs = preview.jobs = 12;
        preview.mostNodeSeconds = 12 * 2 * 3600;
        preview.scheduler = "slurm";
        preview.script = "#!/bin/sh\n";
        dialog->showPreview(preview);
        QVERIFY(says(*dialog, QStringLiteral("at most 24.0")));
        QVERIFY(says(*dialog, QStringLiteral("≈ 1.50 expected")));
        QVERIFY(says(*dialog, QStringLiteral("one for each run")));
        QCOMPARE(lookAt(*dialog, QStringLiteral("launch-jobs")), QStringList());
    }

    void theSitesAnswerLeavesTheFocusOnTheButtonThatTheUserChose()
    {
        WindowFixture fixture;
        fixture.show();
        LaunchPreview preview;
        preview.site = "alder";
        preview.runs = preview.jobs = 1;
        const auto opened = [&] {
            auto* dialog = new LaunchDialog(fixture.theme(), &fixture.window(), QStringLiteral("alder"), 1);
            dialog->open();
            return dialog;
        };
        auto* left = opened();
        QTest::keyClick(left->focusWidget(), Qt::Key_Return); // before the site has answered
        QVERIFY(left->isVisible());
        left->showPreview(preview);
        QCOMPARE(left->focusWidget(), buttonOf(*left, QStringLiteral("Launch 1 run")));
        left->reject();

        auto* chosen = opened();
        QSignalSpy launched(chosen, &LaunchDialog::launchWanted);
        auto* cancel = buttonOf(*chosen, QStringLiteral("Cancel"));
        cancel->setFocus(Qt::TabFocusReason);
        chosen->showPreview(preview);
        QCOMPARE(chosen->focusWidget(), cancel);
        QTest::keyClick(cancel, Qt::Key_Return);
        QVERIFY(!chosen->isVisible() && launched.empty());
    }

    void aRetryElsewhereShowsTheChecksAndLeadsToTheirFields()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        auto experiment = storedExperiment(fixture.store());
        QVERIFY(experiment.has_value());
        experiment->base.clear(); // which is worth a word
        QVERIFY(save(fixture.session(), *experiment));
        fixture.go(PageId::monitor, QString::fromLatin1(kMeasuredExperiment));
        store::RunRow failed = measuredRunAs(fixture.store(), RunState::failed, RunState::failed);
        failed.site = "alder";
        fixture.session().live().runsChanged({failed}); // as if it had run there
        settle();
        QAction& retry = *fixture.window().actions()[ActionId::retryFailed];
        QVERIFY(waitFor([&] { return retry.isEnabled(); }));
        retry.trigger();
        QVERIFY(waitFor([&] { return openDialog(fixture.window()) != nullptr; }));
        QDialog* dialog = openDialog(fixture.window());
        const auto goes = [](const QPushButton& button) { return button.text() == QStringLiteral("Go to field"); };
        QVERIFY(waitFor([&] { return shown<QPushButton>(*dialog, goes) != nullptr; }));
        settle();
        QCOMPARE(lookAt(*dialog, QStringLiteral("retry-checks")), QStringList());
        shown<QPushButton>(*dialog, goes)->click();
        const auto isBaseCase = [&] {
            const auto* focus = qobject_cast<const QLineEdit*>(fixture.window().focusWidget());
            return focus && focus->placeholderText() == QStringLiteral("none: no speed-up");
        };
        QVERIFY(waitFor(isBaseCase));
        QVERIFY(!openDialog(fixture.window()));
    }

    void anOptionIsOfferedWhereItHasAnEffect()
    {
        WindowFixture fixture;
        fixture.show();
        fixture.window().go({.page = PageId::editor,
                             .toml = toQt(lenetExperiment("options", "engine = [\"pytorch\"]\nranks = [1, 2]", 2, 8))});
        const auto hook = [&] {
            return shown<QComboBox>(pageOf(fixture), [](const QComboBox& box) {
                return box.accessibleName() == QStringLiteral("PyTorch: Communication hook");
            });
        };
        QVERIFY(waitFor([&] { return hook() != nullptr; }));
        const QString rank = QStringLiteral("PyTorch: PowerSGD rank");
        QVERIFY(!isLabelled(pageOf(fixture), rank));
        hook()->setCurrentIndex(hook()->findData(QStringLiteral("powersgd")));
        QVERIFY(waitFor([&] { return isLabelled(pageOf(fixture), rank); }));
        hook()->setCurrentIndex(hook()->findData(QStringLiteral("fp16")));
        QVERIFY(waitFor([&] { return !isLabelled(pageOf(fixture), rank); }));
    }

    void aSystemThatWasInstalledMeanwhileIsThere()
    {
        WindowFixture fixture;
        fixture.show();
        const Target target{.page = PageId::editor,
                            .toml = toQt(lenetExperiment("systems", "engine = [\"mxnet\"]\nranks = [1]", 5, 8))};
        const auto isMissing = [&] { return says(pageOf(fixture), QStringLiteral("this computer has no MXNet")); };
        fixture.window().go(target);
        QVERIFY(waitFor(isMissing, 30'000));
        const fs::path engine = fixture.folder() / "ringside/engines/mxnet";
        fs::create_directories(engine);
        QVERIFY(writeInstalledEngine(engine, {.version = "1.9.1", .python = findProgram("python3")}));
        fixture.go(PageId::sites);
        fixture.window().go(target);
        QVERIFY(waitFor([&] { return !isMissing(); }));
    }

    void whatAFilterHidesIsChosenAgainWhenItIsCleared()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::experiments, kMeasured);
        auto& page = *fixture.window().currentPage();
        auto* table = page.findChild<QTableView*>();
        auto* filter = page.findChild<QLineEdit*>();
        QVERIFY(waitFor([&] { return table->selectionModel()->selectedRows().size() == 1; }));
        QTest::keyClicks(filter, QStringLiteral("zzz"));
        QCOMPARE(table->model()->rowCount(), 0);
        QTest::keyClick(filter, Qt::Key_Escape);
        QCOMPARE(table->model()->rowCount(), 4);
        QCOMPARE(table->selectionModel()->selectedRows(1).value(0).data().toString(), kMeasured);
        QVERIFY2(buttonOf(pageOf(fixture), QStringLiteral("Duplicate")), "the details are back");
        QTest::keyClicks(filter, QStringLiteral("scaling"));
        QCOMPARE(table->selectionModel()->selectedRows(1).value(0).data().toString(),
                 QStringLiteral("scaling-of-one-model"));
    }

    void anExperimentThatAFilterHidesIsShownWhereItIsOpened()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::experiments);
        auto& page = *fixture.window().currentPage();
        auto* table = page.findChild<QTableView*>();
        QTest::keyClicks(page.findChild<QLineEdit*>(), QStringLiteral("scaling"));
        QCOMPARE(table->model()->rowCount(), 1);
        fixture.go(PageId::experiments, kMeasured);
        QCOMPARE(table->selectionModel()->selectedRows(1).value(0).data().toString(), kMeasured);
        QCOMPARE(table->model()->rowCount(), 4);
    }

    void whatCannotBeReadIsNotSavedAndStaysInTheForm()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::editor, QStringLiteral("first-light"));
        auto* form = fixture.window().currentPage()->findChild<ExperimentForm*>();
        Draft draft = form->draft();
        for (const auto& [key, text] : {std::pair{"precision", "fp32, fp8"}, std::pair{"image_size", ""}}) {
            draft.experiment.fixed.erase(key); // it is one or the other
            draft.factors.push_back({key, text});
        }
        form->setDraft(draft);
        fixture.window().actions()[ActionId::save]->trigger();
        QVERIFY(waitFor(
            [&] { return says(pageOf(fixture), QStringLiteral("Saved without “fp8”, Image size (no levels).")); }));
        QVERIFY(fixture.window().currentPage()->hasUnsavedChanges());
        fixture.go(PageId::experiments);
        fixture.go(PageId::editor, QStringLiteral("first-light"));
        QVERIFY2(form->draft().factors == draft.factors, "what was typed is lost");
    }

    void aRunThatAFilterHidesIsChosenAgain()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::monitor, kMeasured);
        auto& page = *fixture.window().currentPage();
        auto* table = page.findChild<QTableView*>();
        auto* states = shown<QComboBox>(
            page, [](const QComboBox& combo) { return combo.accessibleName() == QStringLiteral("States shown"); });
        QVERIFY(waitFor([&] { return table->selectionModel()->selectedRows().size() == 1; }));
        const QString chosen = table->selectionModel()->selectedRows().front().data().toString();
        states->setCurrentText(QStringLiteral("Cancelled"));
        QVERIFY(table->selectionModel()->selectedRows().isEmpty());
        states->setCurrentText(QStringLiteral("All states"));
        QCOMPARE(table->selectionModel()->selectedRows().value(0).data().toString(), chosen);
    }

    void theEditorSpeaksOfMissingRuns()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::editor, QStringLiteral("first-light"));
        QVERIFY(waitFor([&] { return isLabelled(pageOf(fixture), QStringLiteral("6 configurations × 6 repeats")); }));
        fixture.go(PageId::editor, kMeasured); // a lost rank is repeated, a cancelled run is, too
        QVERIFY(waitFor([&] { return isLabelled(pageOf(fixture), QStringLiteral("missing of 60")); }));
        QVERIFY(isLabelled(pageOf(fixture), QStringLiteral("2")));
        auto* repeats = shown<QSpinBox>(
            pageOf(fixture), [](const QSpinBox& box) { return box.accessibleName() == QStringLiteral("Repeats"); });
        QVERIFY(repeats);
        repeats->setValue(4); // all that is asked for is done
        QVERIFY(waitFor([&] { return isLabelled(pageOf(fixture), QStringLiteral("nothing is missing")); }));
        QVERIFY(isLabelled(pageOf(fixture), QStringLiteral("missing of 40")));
        fixture.window().currentPage()->findChild<QTabBar*>()->setCurrentIndex(1);
        auto* script = shown<QPlainTextEdit>(pageOf(fixture), [](const QPlainTextEdit& text) {
            return text.accessibleName() == QStringLiteral("Job script");
        });
        QVERIFY(script && script->toPlainText().isEmpty());
        QVERIFY(script->placeholderText().startsWith(QStringLiteral("Nothing is missing")));
        QVERIFY(!buttonOf(pageOf(fixture), QStringLiteral("Copy"))->isEnabled());
        settle();
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("editor-nothing-missing")));
    }

    void aDemoClusterThatIsUpIsShownInsteadOfStarted()
    {
        WindowFixture fixture;
        fixture.show();
        const int before = buttonOf(pageOf(fixture), QStringLiteral("Run the example"))->y();
        QVERIFY(buttonOf(pageOf(fixture), QStringLiteral("Start the demo cluster")));
        const fs::path state = fixture.folder() / "ringside/demo-cluster";
        fs::create_directories(state / "hosts");
        QVERIFY(writeFileAtomically(state / "hosts/switch", fmt::format("{} pid:[1]\n", ::getpid())));
        QVERIFY(writeFileAtomically(state / "up", ""));
        fixture.go(PageId::experiments);
        fixture.go(PageId::welcome);
        const QString showIt = QStringLiteral("Show the site");
        QVERIFY(waitFor([&] { return buttonOf(pageOf(fixture), showIt) != nullptr; }));
        QVERIFY(isLabelled(pageOf(fixture), QStringLiteral("It is up, as the site “demo”")));
        QCOMPARE(buttonOf(pageOf(fixture), QStringLiteral("Run the example"))->y(), before);
        QCOMPARE(buttonOf(pageOf(fixture), showIt)->y(), before);
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("welcome-demo-up")), QStringList());
        buttonOf(pageOf(fixture), showIt)->click();
        QCOMPARE(fixture.window().currentPage()->windowName(), QStringLiteral("Sites"));
        QVERIFY(fs::remove(state / "up")); // as down.sh does
        fixture.go(PageId::welcome);
        QVERIFY(
            waitFor([&] { return buttonOf(pageOf(fixture), QStringLiteral("Start the demo cluster")) != nullptr; }));
    }

    void whatIsSavedIsLaunchedFromTheList()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::experiments, QStringLiteral("first-light"));
        auto* launch = fixture.window().actions()[ActionId::launch];
        QVERIFY(waitFor([&] { return launch->isEnabled(); }));
        auto* button = buttonOf(pageOf(fixture), QStringLiteral("Launch…"));
        QVERIFY(button && button->isEnabled());
        QTest::keyClick(&fixture.window(), Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(waitFor([&] { return openDialog(fixture.window()) != nullptr; }, 30'000));
        QVERIFY(says(*openDialog(fixture.window()), QStringLiteral("Launch 36 runs on this computer?")));
        openDialog(fixture.window())->reject();
        QCOMPARE(fixture.window().currentPage()->windowName(), QStringLiteral("first-light"));

        auto* repeats = shown<QSpinBox>(
            pageOf(fixture), [](const QSpinBox& box) { return box.accessibleName() == QStringLiteral("Repeats"); });
        repeats->setValue(7);
        fixture.go(PageId::experiments, QStringLiteral("first-light"));
        QVERIFY(waitFor([&] { return launch->isEnabled(); }));
        launch->trigger();
        QVERIFY(waitFor([&] {
            return isLabelled(pageOf(fixture), QStringLiteral("It was changed and not saved. Launch saves and "
                                                              "runs what the form shows."));
        }));
        settle();
        QVERIFY2(!openDialog(fixture.window()), "what was never saved is looked at first");
    }

    void aFileForAnotherSiteIsLookedAtBeforeItIsLaunched()
    {
        WindowFixture fixture;
        fixture.show();
        const fs::path file = fixture.folder() / "there.toml";
        QVERIFY(writeFileAtomically(file, "site = \"alder\"\n" + lenetExperiment("there", "ranks = [1, 2]", 5, 8)));
        fixture.window().openFile(toQt(file.string()), true); // as --run does
        QVERIFY(waitFor([&] { return openDialog(fixture.window()) != nullptr; }, 30'000));
        QVERIFY(says(*openDialog(fixture.window()), QStringLiteral("Launch 10 runs on alder?")));
        QCOMPARE(fixture.window().currentPage()->windowName(), QStringLiteral("there"));
        QVERIFY(fixture.session().experiments().rows().empty());
        openDialog(fixture.window())->reject();
    }

    void whatWasNeverSavedIsOfferedInTheList()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::experiments);
        QVERIFY2(!buttonOf(pageOf(fixture), QStringLiteral("1 not saved")), "nothing was edited yet");
        const auto question = [&] {
            return shown<QLineEdit>(pageOf(fixture), [](const QLineEdit& edit) {
                return edit.accessibleName() == QStringLiteral("Question");
            });
        };
        const auto edit = [&](const QString& text) {
            QVERIFY(question());
            question()->setFocus();
            question()->selectAll();
            QTest::keyClicks(question(), text);
        };
        fixture.go(PageId::editor, QStringLiteral("first-light"));
        edit(QStringLiteral("of first-light"));
        fixture.window().go({.page = PageId::editor, .toml = toQt(lenetExperiment("few", "ranks = [1, 2]", 2, 8))});
        edit(QStringLiteral("of few"));
        fixture.go(PageId::experiments);
        QVERIFY(waitFor([&] { return buttonOf(pageOf(fixture), QStringLiteral("2 not saved")) != nullptr; }));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("experiments-drafts")), QStringList());
        const auto open = [&](const QString& text) {
            auto* drafts = buttonOf(pageOf(fixture), QStringLiteral("2 not saved"));
            QVERIFY(drafts && drafts->menu());
            for (QAction* action : drafts->menu()->actions())
                if (action->text() == text)
                    return action->trigger();
            QFAIL(qPrintable(text));
        };
        open(QStringLiteral("few: never saved"));
        QVERIFY(waitFor([&] { return question() && question()->text() == QStringLiteral("of few"); }));
        fixture.go(PageId::experiments);
        QVERIFY(waitFor([&] { return buttonOf(pageOf(fixture), QStringLiteral("2 not saved")) != nullptr; }));
        open(QStringLiteral("first-light: changed and not saved"));
        QVERIFY(waitFor([&] { return question() && question()->text() == QStringLiteral("of first-light"); }));
    }

    void theExampleNeedsADatabase()
    {
        WindowFixture fixture;
        QVERIFY(writeFileAtomically(fixture.store(), std::string(4096, 'x')));
        fixture.show();
        auto* start = buttonOf(pageOf(fixture), QStringLiteral("Run the example"));
        QVERIFY(start && !start->isEnabled());
        QVERIFY(!fixture.window().actions()[ActionId::runExample]->isEnabled());
        QVERIFY(
            isLabelled(pageOf(fixture), QStringLiteral("The example needs a database, and this one cannot be opened. "
                                                       "Choose another folder in Settings.")));
        QVERIFY(buttonOf(pageOf(fixture), QStringLiteral("Choose folder…")));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("welcome-no-database")));
        QVERIFY(fs::remove(fixture.store()));
        fixture.session().open(fixture.store());
        QVERIFY(waitFor([&] { return start->isEnabled(); }));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::OffersTest)
#include "test_offers.moc"
