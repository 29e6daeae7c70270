// SPDX-License-Identifier: MIT
// The Sites page, and launches elsewhere, with a real sshd behind them.
#include "app/dialogs/launchdialog.h"
#include "app/pages/sites/sitedialog.h"
#include "app/text/text.h"
#include "app/widgets/statusentry.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/sites/sitebook.h"
#include "core/store/queries.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/sitesfixture.h"
#include "tests/support/built.h"
#include "tests/support/lenetexperiment.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <optional>

namespace ringside::test {

namespace {

bool standsInStatusBar(SitesFixture& fixture, const char* site)
{
    return shown<StatusEntry>(fixture.window(), [&](const StatusEntry& entry) {
               return entry.text().startsWith(QLatin1String(site));
           }) != nullptr;
}

} // namespace

class SitesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aSiteIsDescribedRenamedAndForgotten()
    {
        SitesFixture fixture;
        fixture.show();
        QTest::keyClick(&fixture.window(), Qt::Key_4, Qt::ControlModifier);
        QVERIFY(waitFor([&] { return fixture.list().model()->rowCount() == 1; }));
        QCOMPARE(fixture.list().currentIndex().data().toString(), QStringLiteral("This computer"));
        QVERIFY(!fixture.action(ActionId::testSite).isEnabled());
        describe(fixture);
        rename(fixture);
        forget(fixture);
    }

    void aSiteIsNotForgottenBeforeItsRunsHaveEnded()
    {
        SitesFixture fixture;
        fixture.fillStore();
        QVERIFY(!submit(fixture.store(), "alder", "4711").empty());
        setStages(fixture.store(), "ended");
        Site alder;
        alder.name = alder.host = "alder";
        QVERIFY(SiteBook::ofUser().and_then([&](const SiteBook& book) { return book.save(alder); }).has_value());
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        setStages(fixture.store(), "submitted"); // runs begin while the page is shown
        fixture.session().live().runsChanged({fixture.runOn("alder")});
        settle();
        fixture.action(ActionId::removeSite).trigger();
        QVERIFY(fixture.showsNow(QStringLiteral("Runs of “plans-on-four-ranks” on alder have not ended.")));
        QVERIFY(!openDialog(fixture.window()));
        setStages(fixture.store(), "ended");
        fixture.session().live().experimentsChanged({kMeasuredExperiment});
        settle();
        fixture.action(ActionId::removeSite).trigger();
        auto* dialog = fixture.dialog();
        QVERIFY2(dialog, "they have ended");
        setStages(fixture.store(), "submitted"); // while the user reads
        buttonOf(*dialog, QStringLiteral("Forget it"))->click();
        settle();
        QVERIFY(siteOfUser("alder"));
        QCOMPARE(fixture.list().model()->rowCount(), 2);
    }

    void aSiteThatIsForgottenIsLeft()
    {
        Sshd sshd;
        REQUIRE_SSHD(sshd);
        sshd.trust();
        SitesFixture fixture;
        fixture.describeAlder(sshd);
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        fixture.action(ActionId::testSite).trigger();
        QVERIFY(fixture.reads(QStringLiteral("8 of 8 steps done")));
        QVERIFY(fixture.testEnds());
        QVERIFY(standsInStatusBar(fixture, "alder"));
        fixture.action(ActionId::removeSite).trigger();
        buttonOf(*fixture.dialog(), QStringLiteral("Forget it"))->click();
        QVERIFY(waitFor([&] { return fixture.list().model()->rowCount() == 1; }));
        const auto log = [&] { return fixture.session().log().lines().join(u'\n'); };
        QVERIFY(waitFor([&] { return log().contains(QStringLiteral("alder is without contact")); }, kPatienceMs));
        settle();
        QVERIFY(!standsInStatusBar(fixture, "alder"));
        QVERIFY(!fixture.session().sites().statuses().contains("alder"));

        fixture.describeAlder(sshd);
        fixture.choose(QStringLiteral("alder"));
        QCOMPARE(fixture.status(), QStringLiteral("not tested yet"));
        fixture.action(ActionId::testSite).trigger();
        QVERIFY(fixture.reads(QStringLiteral("8 of 8 steps done")));
        QVERIFY(standsInStatusBar(fixture, "alder"));
    }

    void aSiteOfTheListIsTestedByEnterAndNotByClicks()
    {
        SitesFixture fixture;
        Site alder;
        alder.name = "alder";
        alder.host = "alder.invalid";
        QVERIFY(SiteBook::ofUser().and_then([&](const SiteBook& book) { return book.save(alder); }).has_value());
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        const QString untested = QStringLiteral("not tested yet");
        const QPoint place = fixture.list().visualRect(fixture.list().currentIndex()).center();
        QTest::mouseClick(fixture.list().viewport(), Qt::LeftButton, {}, place);
        QTest::mouseDClick(fixture.list().viewport(), Qt::LeftButton, {}, place);
        settle();
        QCOMPARE(fixture.status(), untested);
        QTest::keyClick(&fixture.list(), Qt::Key_Return);
        QVERIFY(waitFor([&] { return fixture.status() != untested; }));
        QVERIFY(fixture.testEnds());
    }

    void aHostOfTheSshConfigurationNamesItsSite()
    {
        SitesFixture fixture;
        fixture.show();
        std::optional<Site> described;
        describeSite(&fixture.window(), fixture.theme(), Site{},
                     {{"cedar", "cedar.example.org", "kim", 22, "gate"}, {"elm", "elm", "kim", 2222, ""}},
                     [&](const Site& site) -> Result<void> {
                         described = site;
                         return {};
                     });
        auto* dialog = fixture.dialog();
        QVERIFY(dialog);
        auto* host = qobject_cast<QComboBox*>(besides(*dialog, QStringLiteral("Login node")));
        QVERIFY(host);
        QCOMPARE(host->currentText(), QString());
        QTest::keyClicks(host->lineEdit(), QStringLiteral("Ced"));
        QCOMPARE(host->currentText(), QStringLiteral("Ced")); // any host can be typed
        host->clearEditText();
        QCOMPARE(host->itemData(0, Qt::ToolTipRole).toString(),
                 QStringLiteral("kim@cedar.example.org:22 through gate"));
        host->setFocus();
        QTest::keyClick(host, Qt::Key_Down);
        QCOMPARE(host->currentText(), QStringLiteral("cedar"));
        QCOMPARE(fieldOf(*dialog, QStringLiteral("Name"))->text(), QStringLiteral("cedar"));
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY(described);
        QCOMPARE(described->host, std::string("cedar"));
        QVERIFY(described->user.empty());
    }

    void anExperimentIsLaunchedThereAsItWasShown()
    {
        Sshd sshd;
        REQUIRE_SSHD(sshd);
        sshd.trust();
        SitesFixture fixture;
        fixture.describeAlder(sshd);
        fixture.show();
        fixture.window().go({.page = PageId::editor, .toml = toQt(lenetExperiment("far", "ranks = [1]", 2, 8))});
        auto* site = shown<QComboBox>(*fixture.window().currentPage(), [](const QComboBox& combo) {
            return combo.accessibleName() == QStringLiteral("Site");
        });
        QVERIFY(site);
        QVERIFY(waitFor([&] { return site->count() == 2; }));
        QTest::keyClick(site, Qt::Key_Down);
        QCOMPARE(site->currentText(), QStringLiteral("alder"));
        QVERIFY(waitFor([&] { return fixture.action(ActionId::launch).isEnabled(); }));
        fixture.action(ActionId::launch).trigger();
        auto* dialog = fixture.dialog();
        QVERIFY(dialog);
        QVERIFY(says(*dialog, QStringLiteral("Launch 2 runs on alder?")));
        auto* script = dialog->findChild<QPlainTextEdit*>();
        auto* launch = buttonOf(*dialog, QStringLiteral("Launch 2 runs"));
        QVERIFY(waitFor([&] { return launch->isEnabled(); }, kPatienceMs));
        QVERIFY(script->toPlainText().contains(toQt(testProgram("testworker"))));
        QCOMPARE(lookAt(*dialog, QStringLiteral("launch-there")), QStringList());
        QTest::keyClick(dialog, Qt::Key_Return);
        const auto done = [&] {
            const auto db = store::Database::openForReading(fixture.store());
            const auto runs = db ? store::runs(*db, {}) : Result<std::vector<store::RunRow>>();
            return runs && runs->size() == 2 && std::ranges::all_of(*runs, [](const store::RunRow& run) {
                       return run.state == RunState::done && run.site == "alder";
                   });
        };
        QVERIFY(waitFor(done, kPatienceMs));
        QVERIFY(waitFor([&] { return fixture.window().currentPage()->windowName() == QStringLiteral("far"); }));
    }

    void aLaunchLeavesWhatTheTestFound()
    {
        Sshd sshd;
        REQUIRE_SSHD(sshd);
        sshd.trust();
        SitesFixture fixture;
        fixture.describeAlder(sshd);
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        fixture.action(ActionId::testSite).trigger();
        QVERIFY(fixture.reads(QStringLiteral("8 of 8 steps done")));
        QVERIFY(fixture.status().startsWith(QStringLiteral("connected · ")));
        fixture.session().live().siteStepped(
            {"alder", SiteStep::Kind::node, SiteStep::State::failed, "no answer", {}, {}, std::nullopt});
        QVERIFY(waitFor([&] { return fixture.status() == QStringLiteral("connected · failed: Compute node"); }));
        fixture.session().live().siteStepped(
            {"alder", SiteStep::Kind::node, SiteStep::State::ok, "gpu01", {}, {}, std::nullopt});
        QVERIFY(fixture.reads(QStringLiteral("9 of 9 steps done")));
        fixture.action(ActionId::disconnectSite).trigger();
        QVERIFY(waitFor([&] { return fixture.status().startsWith(QStringLiteral("disconnected since")); }));
        const std::string launched = lenetExperiment("far", "ranks = [1]", 2, 8);
        fixture.window().go({.page = PageId::editor, .toml = toQt("site = \"alder\"\n" + launched)});
        QVERIFY(waitFor([&] { return fixture.action(ActionId::launch).isEnabled(); }));
        fixture.action(ActionId::launch).trigger();
        auto* dialog = fixture.dialog();
        QVERIFY(dialog);
        const auto known = [&] { return fixture.session().sites().stepsOf(QStringLiteral("alder")).size(); };
        QCOMPARE(known(), kSiteSteps.size());
        auto* launch = buttonOf(*dialog, QStringLiteral("Launch 2 runs"));
        QVERIFY(waitFor([&] { return launch->isEnabled(); }, kPatienceMs));
        dialog->reject();
        fixture.choose(QStringLiteral("alder"));
        QVERIFY(fixture.reads(QStringLiteral("9 of 9 steps done")));
        QVERIFY(fixture.showsNow(QStringLiteral("gpu01")));
    }

    void aNodeThatIsAskedDuringATestIsAskedAfterIt()
    {
        Sshd sshd;
        REQUIRE_SSHD(sshd);
        sshd.trust();
        SitesFixture fixture;
        fixture.describeAlder(sshd);
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        auto* ask = buttonOf(*fixture.window().currentPage(), QStringLiteral("Ask a node"));
        QVERIFY(ask);
        const QSize unfocused = ask->sizeHint();
        ask->setFocus();
        QCOMPARE(ask->sizeHint(), unfocused); // as wide as it is laid out
        fixture.action(ActionId::testSite).trigger();
        QTest::keyClick(ask, Qt::Key_Space);
        QVERIFY(fixture.showsNow(QStringLiteral("A node of alder is asked once the test under way has ended.")));
        QVERIFY(fixture.reads(QStringLiteral("none: jobs start on this host")));
        QVERIFY(fixture.reads(QStringLiteral("9 of 9 steps done")));
        QVERIFY(fixture.testEnds());
        QVERIFY(ask->isVisible() && ask->hasFocus());
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-node")), QStringList());
    }

    void aJobThatWaitsIsNamedWithItsReason()
    {
        SitesFixture fixture;
        fixture.fillStore();
        const CampaignId campaign = submit(fixture.store(), "alder", "4711");
        QVERIFY(!campaign.empty());
        fixture.show();
        fixture.go(PageId::monitor, QString::fromLatin1(kMeasuredExperiment));
        QVERIFY(fixture.reads(QStringLiteral("58 done")));
        store::RunRow waiting = fixture.runOn("alder");
        waiting.id = RunId::random();
        waiting.number = 61;
        waiting.attempt = 0;
        waiting.state = RunState::queued;
        waiting.campaign = campaign;
        waiting.reason = because(why::kJob, {{"scheduler", "slurm"},
                                             {"job", "4711"},
                                             {"word", "Resources"},
                                             {"state", std::string(nameOf(JobState::pending))}});
        const QString why = toQt(jobs::sentenceOf(*waiting.reason));
        QVERIFY2(why.startsWith(QStringLiteral("Job 4711: ")), qPrintable(why));
        fixture.session().live().runsChanged({waiting});
        QVERIFY(fixture.reads(QStringLiteral("alder · ") + why));
        auto* runs = shown<QTableView>(*fixture.window().currentPage(), [](const QTableView&) { return true; });
        QVERIFY(runs);
        runs->setCurrentIndex(runs->model()->index(0, 0));
        settle();
        const auto isIt = [&](const QLabel& label) { return label.accessibleName() == why; };
        QVERIFY2(shown<QLabel>(*fixture.window().currentPage(), isIt), "beside the empty chart");
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("monitor-waits")), QStringList());
        auto* dialog = new LaunchDialog(fixture.theme(), &fixture.window(), QStringLiteral("alder"), 1);
        dialog->ask(fixture.session(), {.experiment = kMeasuredExperiment, .site = "alder"});
        dialog->open();
        QVERIFY(waitFor([&] { return says(*dialog, QStringLiteral("Already on alder from here: 1 job, 0 runs")); }));
    }

    void aRetryElsewhereAsksTheSiteAndShowsWhatItWouldSubmit()
    {
        Sshd sshd;
        REQUIRE_SSHD(sshd);
        sshd.trust();
        SitesFixture fixture;
        fixture.describeAlder(sshd);
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::monitor, QString::fromLatin1(kMeasuredExperiment));
        store::RunRow failed = measuredRunAs(fixture.store(), RunState::failed, RunState::failed);
        failed.site = "alder";
        fixture.session().live().runsChanged({failed}); // as if it had run there
        settle();
        QAction& retry = fixture.action(ActionId::retryFailed);
        QVERIFY(waitFor([&] { return retry.isEnabled(); }));
        retry.trigger();
        QDialog* dialog = fixture.dialog();
        QVERIFY(dialog);
        QVERIFY(says(*dialog, QStringLiteral("Launch 1 run on alder?")));
        QVERIFY(says(*dialog, QStringLiteral("Each run becomes a new attempt")));
        auto* launch = buttonOf(*dialog, QStringLiteral("Launch 1 run"));
        QVERIFY(launch && !launch->isEnabled()); // not before it is shown
        QCOMPARE(lookAt(*dialog, QStringLiteral("retry-elsewhere")), QStringList());
        // The stored run was on this computer, so alder has nothing of it to do again.
        QVERIFY(waitFor([&] { return says(*dialog, QStringLiteral("Nothing is missing")); }, kPatienceMs));
        QVERIFY(sshd.connections() > 0);
    }

private:
    static void describe(SitesFixture& fixture)
    {
        fixture.action(ActionId::addSite).trigger();
        QDialog* dialog = fixture.dialog();
        QVERIFY(dialog);
        QCOMPARE(lookAt(*dialog, QStringLiteral("add-site")), QStringList());
        QTest::keyClicks(fieldOf(*dialog, QStringLiteral("Name")), QStringLiteral("al der"));
        auto* host = qobject_cast<QComboBox*>(besides(*dialog, QStringLiteral("Login node")));
        QVERIFY(host);
        QTest::keyClicks(host->lineEdit(), QStringLiteral("kim@alder.example.org:2222"));
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY2(says(*dialog, QStringLiteral("cannot be a site's name")), "the dialog stays and says why");
        fieldOf(*dialog, QStringLiteral("Name"))->setText(QStringLiteral("alder"));
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY(waitFor([&] { return fixture.list().currentIndex().data().toString() == QStringLiteral("alder"); }));
        QVERIFY(siteOfUser("alder"));
        QCOMPARE(siteOfUser("alder")->port, 2222);
        QCOMPARE(fixture.status(), QStringLiteral("not tested yet"));
    }

    static void rename(SitesFixture& fixture)
    {
        fixture.action(ActionId::editSite).trigger();
        QDialog* dialog = fixture.dialog();
        fieldOf(*dialog, QStringLiteral("Name"))->setText(QStringLiteral("birch"));
        const auto type = [&](const char* label, const char* text) {
            auto* field = fieldOf(*dialog, QString::fromLatin1(label));
            QVERIFY2(field, label);
            field->selectAll();
            QTest::keyClicks(field, QString::fromLatin1(text));
        };
        type("Modules", "gcc/12 openmpi/4");
        type("GPUs per node", "a100:4");
        type("Time limit", "soon");
        buttonOf(*dialog, QStringLiteral("Save"))->click();
        QVERIFY2(says(*dialog, QStringLiteral("“soon” is no time")), "the dialog stays and says why");
        type("Time limit", "2:00:00");
        sayAdvanced(*dialog);
        for (const char* text : {"Install torch there if there is none", "Each run as a job of its own"})
            QTest::mouseClick(
                shown<QCheckBox>(*dialog, [&](const auto& box) { return box.text() == QLatin1String(text); }),
                Qt::LeftButton);
        buttonOf(*dialog, QStringLiteral("Save"))->click();
        QVERIFY(waitFor([&] { return fixture.list().currentIndex().data().toString() == QStringLiteral("birch"); }));
        QVERIFY(!siteOfUser("alder"));
        const Site birch = *siteOfUser("birch");
        QCOMPARE(birch.user, std::string("kim"));
        QCOMPARE(birch.modules, std::vector<std::string>({"gcc/12", "openmpi/4"}));
        QCOMPARE(birch.job.gpuType, std::string("a100"));
        QCOMPARE(birch.job.gpusPerNode, 4);
        QCOMPARE(birch.job.timeLimitSeconds, 7200);
        QVERIFY(birch.installTorch);
        QVERIFY(birch.jobPerRun);
        QCOMPARE(birch.launcher, std::string("mpich"));
        QCOMPARE(birch.worker, std::string("/opt/worker"));
        QCOMPARE(birch.agent, std::string("/opt/agent"));
        QCOMPARE(birch.sshConfig, fs::path("/etc/ssh/other"));
        QCOMPARE(birch.launchPrefix, std::vector<std::string>({"apptainer", "exec", "my image.sif"}));
        QCOMPARE(birch.job.extraLines, std::vector<std::string>({"--reservation=course", "--mail-type=END"}));
        fixture.action(ActionId::editSite).trigger();
        QVERIFY2(fieldOf(*fixture.dialog(), QStringLiteral("Agent there")), "unfolded, since something is said there");
        buttonOf(*fixture.dialog(), QStringLiteral("Save"))->click();
        QVERIFY(waitFor([&] { return !openDialog(fixture.window()); }));
        QCOMPARE(siteOfUser("birch")->launchPrefix, birch.launchPrefix);
    }

    /// Fills in the part that is folded at first.
    static void sayAdvanced(QDialog& dialog)
    {
        QVERIFY(!besides(dialog, QStringLiteral("Agent there")));
        auto* fold = buttonOf(dialog, QStringLiteral("Advanced"));
        QVERIFY(fold);
        fold->setFocus();
        QTest::keyClick(fold, Qt::Key_Space);
        QVERIFY(waitFor([&] { return besides(dialog, QStringLiteral("Agent there")) != nullptr; }));
        fieldOf(dialog, QStringLiteral("Worker there"))->setText(QStringLiteral("/opt/worker"));
        fieldOf(dialog, QStringLiteral("Agent there"))->setText(QStringLiteral("/opt/agent"));
        fieldOf(dialog, QStringLiteral("SSH configuration"))->setText(QStringLiteral("/etc/ssh/other"));
        fieldOf(dialog, QStringLiteral("Before the worker"))
            ->setText(QStringLiteral("apptainer exec \"my image.sif\""));
        auto* launcher = qobject_cast<QComboBox*>(besides(dialog, QStringLiteral("Ranks are started by")));
        QVERIFY(launcher);
        launcher->setCurrentText(QStringLiteral("MPICH"));
        auto* lines = qobject_cast<QPlainTextEdit*>(besides(dialog, QStringLiteral("Further job options")));
        QVERIFY(lines);
        lines->setPlainText(QStringLiteral("--reservation=course\n\n --mail-type=END\n"));
        QCOMPARE(lookAt(dialog, QStringLiteral("edit-site-advanced")), QStringList());
        const QRect screen = dialog.screen()->availableGeometry();
        QVERIFY2(dialog.height() <= screen.height(), qPrintable(QString::number(dialog.height()))); // it scrolls
        const auto* save = buttonOf(dialog, QStringLiteral("Save"));
        QVERIFY(dialog.rect().contains(QRect(save->mapTo(&dialog, QPoint()), save->size())));
    }

    static void forget(SitesFixture& fixture)
    {
        fixture.action(ActionId::removeSite).trigger();
        QDialog* dialog = fixture.dialog();
        QTest::keyClick(dialog, Qt::Key_Return); // the harmless answer
        QVERIFY(siteOfUser("birch"));
        fixture.action(ActionId::removeSite).trigger();
        buttonOf(*fixture.dialog(), QStringLiteral("Forget it"))->click();
        QVERIFY(waitFor([&] { return fixture.list().model()->rowCount() == 1; }));
        QVERIFY(!siteOfUser("birch"));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::SitesTest)
#include "test_sites.moc"
