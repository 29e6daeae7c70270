// SPDX-License-Identifier: MIT
// The Sites page with a real sshd behind it: describing, signing in, keys known, unknown and changed, cleaning up.
#include "app/dialogs/connectiondialogs.h"
#include "app/pages/sites/sitedialog.h"
#include "app/pages/sites/sitemodel.h"
#include "app/shell/actions.h"
#include "app/widgets/text.h"
#include "core/base/clock.h"
#include "core/base/environment.h"
#include "core/sites/sitebook.h"
#include "core/store/queries.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"
#include "tests/remote/ssh/sshd.h"
#include "tests/support/lenetexperiment.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <algorithm>
#include <optional>

namespace ringside::test {

namespace {

constexpr int kPatienceMs = 60'000; // an agent is brought there, on a busy machine a slow thing

/// In CI a machine that cannot have an sshd is a failure.
#define REQUIRE_SSHD(sshd)                                                                                             \
    if (!(sshd).problem().empty()) {                                                                                   \
        if (environment("RINGSIDE_CI"))                                                                                \
            QFAIL((sshd).problem().c_str());                                                                           \
        QSKIP((sshd).problem().c_str());                                                                               \
    }

/// A window whose user has the site "alder", behind an sshd of its own, with a worker that is there already.
struct SitesFixture : WindowFixture
{
    /// Connects with further lines for the host in the ssh configuration.
    void describeAlder(const Sshd& sshd, const std::string& lines = {})
    {
        sshd.places(lines);
        Site site;
        site.name = "alder";
        site.host = "alder";
        site.sshConfig = sshd.file("client/.ssh/config");
        site.root = (folder() / "there").string();
        site.scheduler = Scheduler::none;
        site.worker = RINGSIDE_TESTWORKER;
        const auto saved = SiteBook::ofUser().and_then([&](const SiteBook& book) { return book.save(site); });
        QVERIFY2(saved.has_value(), saved ? "" : saved.error().text().c_str());
    }

    QAction& action(ActionId id) { return *window().actions()[id]; }

    QListView& list() { return *window().currentPage()->findChild<QListView*>(); }

    void choose(const QString& site)
    {
        go(PageId::sites, {}, site);
        QVERIFY(waitFor([&] { return list().currentIndex().data().toString() == site; }));
    }

    QString status() { return list().currentIndex().data(SiteModel::kStatusText).toString(); }

    /// Whether a visible label of the page holds the text, now or soon.
    bool showsNow(const QString& text)
    {
        return shown<QLabel>(*window().currentPage(), [&](const QLabel& label) {
                   return label.text().contains(text) || label.toolTip().contains(text);
               }) != nullptr;
    }
    bool reads(const QString& text)
    {
        return waitFor([&] { return showsNow(text); }, kPatienceMs);
    }

    QDialog* dialog()
    {
        QDialog* found = nullptr;
        waitFor([&] { return (found = openDialog(window())) != nullptr; }, kPatienceMs);
        return found;
    }
};

QPushButton* buttonOf(const QDialog& dialog, const QString& text)
{
    return shown<QPushButton>(dialog, [&](const QPushButton& button) { return button.text() == text; });
}

bool says(const QDialog& dialog, const QString& text)
{
    return shown<QLabel>(dialog, [&](const QLabel& label) { return label.text().contains(text); });
}

Result<Site> siteOfUser(const char* name)
{
    return SiteBook::ofUser().and_then([&](const SiteBook& book) { return book.find(name); });
}

/// A run as if it ran on this site.
store::RunRow runThere(const fs::path& path, const std::string& site)
{
    store::RunRow run = measuredRunAs(path, RunState::running);
    run.site = site;
    return run;
}

/// The field of a form that stands beside this label.
QWidget* besides(const QDialog& dialog, const QString& label)
{
    auto* found = shown<QLabel>(dialog, [&](const QLabel& each) { return each.text() == label; });
    return found ? found->buddy() : nullptr;
}

QLineEdit* fieldOf(const QDialog& dialog, const QString& label)
{
    return qobject_cast<QLineEdit*>(besides(dialog, label));
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

    void anUnknownKeyIsComparedThenTheSiteIsReadyAndCleanedUp()
    {
        Sshd sshd;
        REQUIRE_SSHD(sshd);
        SitesFixture fixture;
        fixture.describeAlder(sshd);
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        fixture.action(ActionId::testSite).trigger();
        auto* dialog = fixture.dialog();
        QVERIFY(dialog);
        QVERIFY(says(*dialog, QStringLiteral("First connection to")));
        QCOMPARE(lookAt(*dialog, QStringLiteral("host-key")), QStringList());
        QCOMPARE(qobject_cast<QPushButton*>(QApplication::focusWidget())->text(), QStringLiteral("Cancel"));
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY(fixture.reads(QStringLiteral("not tried")));
        QVERIFY(!fs::exists(sshd.knownHosts()));
        QVERIFY(waitFor([&] { return fixture.action(ActionId::testSite).isEnabled(); }, kPatienceMs));

        fixture.action(ActionId::testSite).trigger();
        dialog = fixture.dialog();
        auto* pasted = dialog->findChild<QLineEdit*>();
        pasted->setText(QStringLiteral("SHA256:somethingelse"));
        QVERIFY(says(*dialog, QStringLiteral("They differ")));
        pasted->setText(QStringLiteral("MD5:aa:bb"));
        QVERIFY(says(*dialog, QStringLiteral("This is no SHA256 fingerprint")));
        const auto fingerprint = shown<QLabel>(
            *dialog, [](const QLabel& label) { return label.text().startsWith(QStringLiteral("SHA256:")); });
        pasted->setText(QStringLiteral("256 %1 root@alder (ED25519)").arg(fingerprint->text())); // as ssh-keygen -lf
        QVERIFY(says(*dialog, QStringLiteral("They are the same")));
        buttonOf(*dialog, QStringLiteral("I compared it: connect"))->click();
        QVERIFY(fixture.reads(QStringLiteral("8 of 8 steps done")));
        QVERIFY(fixture.status().startsWith(QStringLiteral("connected")));
        QVERIFY(fixture.reads(QStringLiteral("Processor")));
        settle();
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites")), QStringList());

        fixture.action(ActionId::cleanSite).trigger();
        dialog = fixture.dialog();
        QVERIFY(dialog);
        QVERIFY(dialog->findChild<QTreeWidget*>()->topLevelItemCount() >= 1);
        QCOMPARE(lookAt(*dialog, QStringLiteral("clean-up")), QStringList());
        QTest::keyClick(dialog, Qt::Key_Return); // keeps everything
        QVERIFY(!fs::is_empty(fixture.folder() / "there"));

        const std::size_t connections = sshd.connections();
        fixture.action(ActionId::testSite).trigger();
        QVERIFY(fixture.reads(QStringLiteral("8 of 8 steps done")));
        QVERIFY(waitFor([&] { return fixture.action(ActionId::testSite).isEnabled(); }, kPatienceMs));
        QCOMPARE(sshd.connections(), connections); // the line that stands is not made again

        fixture.action(ActionId::disconnectSite).trigger();
        QVERIFY(waitFor([&] { return fixture.status().startsWith(QStringLiteral("disconnected since")); }));
        fixture.action(ActionId::testSite).trigger();
        QVERIFY(fixture.reads(QStringLiteral("8 of 8 steps done")));
        QCOMPARE(sshd.connections(), connections + 1);
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
        QVERIFY(script->toPlainText().contains(QStringLiteral(RINGSIDE_TESTWORKER)));
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
        QCOMPARE(fixture.window().currentPage()->windowName(), QStringLiteral("far"));
    }

    void withoutContactWhatIsShownHasItsTime()
    {
        SitesFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::monitor, QString::fromLatin1(kMeasuredExperiment));
        QVERIFY(fixture.reads(QStringLiteral("58 done")));
        QtSink& live = fixture.session().live();
        live.siteChanged({"alder", SiteStatus::Contact::lost, wallNs(), "no answer for 30 s"});
        settle();
        QVERIFY2(!fixture.showsNow(QStringLiteral("as of ")), "nothing of this experiment is there");
        live.runsChanged({runThere(fixture.store(), "alder")});
        QVERIFY(fixture.reads(QStringLiteral("as of ")));
        QVERIFY(fixture.reads(QStringLiteral("No contact with alder since ")));
        QVERIFY(fixture.reads(QStringLiteral("57 done"))); // nothing is taken away
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("state-stale")), QStringList());
        QVERIFY(shown<QPushButton>(*fixture.window().currentPage(), [](const QPushButton& button) {
            return button.text() == QStringLiteral("Reconnect");
        }));
        live.siteChanged({"alder", SiteStatus::Contact::connected, wallNs(), "2 cores"});
        QVERIFY(waitFor([&] { return !fixture.showsNow(QStringLiteral("as of ")); }));
    }

    void aChangedKeyCannotBePassed()
    {
        Sshd sshd;
        REQUIRE_SSHD(sshd);
        sshd.trust();
        sshd.changeHostKeys({"ed25519"});
        SitesFixture fixture;
        fixture.describeAlder(sshd);
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        fixture.action(ActionId::testSite).trigger();
        auto* dialog = fixture.dialog();
        QVERIFY(dialog);
        QVERIFY(says(*dialog, QStringLiteral("Stopped: the key of")));
        QCOMPARE(lookAt(*dialog, QStringLiteral("host-key-changed")), QStringList());
        const auto buttons = dialog->findChildren<QPushButton*>();
        QCOMPARE(buttons.size(), 2); // copy the command, close
        for (auto* button : buttons)
            if (button->text() != QStringLiteral("Close"))
                button->click();
        QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("ssh-keygen")));
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY(fixture.status() == QStringLiteral("needs you"));
        QVERIFY(!openDialog(fixture.window()));
        QVERIFY(shown<QToolButton>(fixture.window(), [](const QToolButton& button) {
            return button.accessibleName() == QStringLiteral("Sites, 1 needs you");
        }));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-needs-you")), QStringList());
    }

    void enterGoesThroughTheFieldsBeforeAnythingIsSent()
    {
        SitesFixture fixture;
        fixture.show();
        PromptRound round;
        round.subject = "kim@alder";
        round.prompts = {{"Password:", false}, {"<h1>Code</h1> of your device, which shows six digits:", true}};
        const auto reply = std::make_shared<Reply<std::vector<Secret>>>();
        auto answer = reply->future();
        askToSignIn(&fixture.window(), fixture.theme(), round, reply);
        auto* dialog = fixture.dialog();
        QVERIFY(dialog);
        QCOMPARE(lookAt(*dialog, QStringLiteral("sign-in-two")), QStringList());
        const auto fields = dialog->findChildren<QLineEdit*>();
        QCOMPARE(fields.size(), 2);
        QVERIFY(waitFor([&] { return fields[0]->hasFocus(); }));
        QTest::keyClicks(fields[0], QStringLiteral("secret"));
        QTest::keyClick(fields[0], Qt::Key_Return);
        QVERIFY(waitFor([&] { return fields[1]->hasFocus(); }));
        QVERIFY(answer.wait_for(std::chrono::seconds(0)) == std::future_status::timeout);
        QVERIFY2(says(*dialog, QStringLiteral("<h1>Code</h1>")), "as it is");
        QTest::keyClicks(fields[1], QStringLiteral("424242"));
        QTest::keyClick(fields[1], Qt::Key_Return);
        const auto given = answer.get();
        QVERIFY(given.has_value());
        QCOMPARE(given->size(), std::size_t(2));
        QCOMPARE(std::string((*given)[1].c_str()), std::string("424242"));
    }

    void aQuestionSaysHowLongTheSiteWaitsAndEndsThen()
    {
        SitesFixture fixture;
        fixture.show();
        PromptRound round;
        round.subject = "kim@alder";
        round.prompts = {{"Password:", false}};
        round.limit = std::chrono::milliseconds(2'500);
        const auto reply = std::make_shared<Reply<std::vector<Secret>>>();
        auto answer = reply->future();
        askToSignIn(&fixture.window(), fixture.theme(), round, reply);
        QVERIFY(fixture.dialog());
        QVERIFY(says(*fixture.dialog(), QStringLiteral(" left to answer")));
        QVERIFY(waitFor([&] { return !openDialog(fixture.window()); }));
        const auto given = answer.get();
        QVERIFY(!given);
        QCOMPARE(given.error().code, ErrorCode::cancelled);
    }

    void aServerThatAsksTwiceIsAnsweredInDialogs()
    {
        SshdOptions options;
        options.pamLine = "auth required " PAM_ASKTWICE " password=correct=horse code=424242";
        options.config = "PubkeyAuthentication no";
        Sshd sshd(options);
        REQUIRE_SSHD(sshd);
        sshd.trust();
        SitesFixture fixture;
        fixture.describeAlder(sshd);
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        fixture.action(ActionId::testSite).trigger();
        auto* dialog = fixture.dialog();
        QVERIFY(dialog);
        QVERIFY(says(*dialog, QStringLiteral(" left to answer")));
        auto* password = dialog->findChild<QLineEdit*>();
        QCOMPARE(password->echoMode(), QLineEdit::Password);
        QVERIFY(password->hasFocus());
        QVERIFY2(says(*dialog, QStringLiteral("<b>authorised</b>")), "the server's text is shown as it is");
        QTest::keyClicks(password, QStringLiteral("correct=horse"));
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY(waitFor([&] {
            auto* next = openDialog(fixture.window());
            return next && next->findChild<QLineEdit*>()->echoMode() == QLineEdit::Normal;
        }));
        dialog = fixture.dialog();
        QCOMPARE(lookAt(*dialog, QStringLiteral("sign-in")), QStringList());
        QTest::keyClicks(dialog->findChild<QLineEdit*>(), QStringLiteral("1")); // wrong
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY(waitFor([&] { return fixture.action(ActionId::testSite).isEnabled(); }, kPatienceMs));
        QVERIFY2(!openDialog(fixture.window()), "nothing is asked again by itself");
        const std::size_t connections = sshd.connections();
        settle();
        QCOMPARE(sshd.connections(), connections);
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
        QTest::mouseClick(shown<QCheckBox>(*dialog, [](const QCheckBox&) { return true; }), Qt::LeftButton);
        buttonOf(*dialog, QStringLiteral("Save"))->click();
        QVERIFY(waitFor([&] { return fixture.list().currentIndex().data().toString() == QStringLiteral("birch"); }));
        QVERIFY(!siteOfUser("alder"));
        const Site birch = *siteOfUser("birch");
        QCOMPARE(birch.user, std::string("kim"));
        QCOMPARE(birch.modules, std::vector<std::string>({"gcc/12", "openmpi/4"}));
        QCOMPARE(birch.slurm.gpuType, std::string("a100"));
        QCOMPARE(birch.slurm.gpusPerNode, 4);
        QCOMPARE(birch.slurm.timeLimitSeconds, 7200);
        QVERIFY(birch.jobPerRun);
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
