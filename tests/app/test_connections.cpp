// SPDX-License-Identifier: MIT
// Connections in the window, with a real sshd: keys known, unknown and changed; signing in; what is asked, and of whom;
// what is shown of a site without contact.
#include "app/dialogs/connectiondialogs.h"
#include "core/base/clock.h"
#include "core/sites/sitebook.h"
#include "core/store/edits.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/sitesfixture.h"
#include "tests/support/addcampaign.h"
#include "tests/support/built.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>
#include <QTreeWidget>

namespace ringside::test {

namespace {

/// A campaign there, which contact was lost with at that time, and which is over.
Result<void> loseContact(const fs::path& path, const std::string& site, std::int64_t atNs)
{
    TRY_ASSIGN(store::Database db, store::Database::openForWriting(path));
    CampaignPlan plan;
    plan.campaign = CampaignId::random();
    plan.store = db.id();
    plan.experiment = kMeasuredExperiment;
    plan.site = site;
    TRY(test::addCampaign(db, plan));
    TRY(store::setContact(db, plan.campaign, atNs, {}));
    return store::setStage(db, plan.campaign, campaign::Stage::ended);
}

} // namespace

class ConnectionsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
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
        QVERIFY(fixture.testEnds());

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
        QVERIFY(fixture.testEnds());
        QCOMPARE(sshd.connections(), connections); // the line that stands is not made again

        fixture.action(ActionId::disconnectSite).trigger();
        QVERIFY(waitFor([&] { return fixture.status().startsWith(QStringLiteral("disconnected since")); }));
        fixture.action(ActionId::testSite).trigger();
        QVERIFY(fixture.reads(QStringLiteral("8 of 8 steps done")));
        QCOMPARE(sshd.connections(), connections + 1);
    }

    void aKeyThatNoFileRemembersIsCalledSo()
    {
        SitesFixture fixture;
        fixture.show();
        const auto reply = std::make_shared<Reply<bool>>();
        auto answer = reply->future();
        askHostKey(&fixture.window(), fixture.theme(), {"alder", "ssh-ed25519", "SHA256:abc", {}}, reply);
        auto* dialog = fixture.dialog();
        QVERIFY(dialog);
        QVERIFY(says(*dialog, QStringLiteral("each connection asks again")));
        QCOMPARE(lookAt(*dialog, QStringLiteral("host-key-not-saved")), QStringList());
        dialog->reject();
        QCOMPARE(answer.get().value_or(true), false);
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
        QVERIFY(waitFor([&] { return fixture.status() == QStringLiteral("refused (host key)"); }));
        QVERIFY(!openDialog(fixture.window()));
        QVERIFY(shown<QToolButton>(fixture.window(), [](const QToolButton& button) {
            return button.accessibleName() == QStringLiteral("Sites, 1 refused");
        }));
        QVERIFY2(fixture.action(ActionId::testSite).text().contains(QStringLiteral("est connection")),
                 "no sign-in helps");
        const auto explains = [](const MessageBar& bar) {
            return bar.text().contains(QStringLiteral("another host key than the one on record")) &&
                   bar.text().contains(QStringLiteral("ssh-keygen -R"));
        };
        QVERIFY(shown<MessageBar>(*fixture.window().currentPage(), explains));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-refused")), QStringList());
        fixture.list().setCurrentIndex(fixture.list().model()->index(0, 0));
        QVERIFY(!shown<MessageBar>(*fixture.window().currentPage(), explains));
        fixture.choose(QStringLiteral("alder"));
        QVERIFY(shown<MessageBar>(*fixture.window().currentPage(), explains));
    }

    void whateverIsFoundIsShownWhole()
    {
        Site site;
        site.name = site.host = "alder";
        SitesFixture fixture;
        QVERIFY(SiteBook::ofUser().and_then([&](const SiteBook& book) { return book.save(site); }));
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        std::string modules;
        for (int i = 0; i < 40; ++i)
            modules += fmt::format("openmpi/5.0.{}, ", i);
        fixture.session().live().siteFound(
            "alder",
            {{"Network", "InfiniBand mlx5_0, 200 Gb/s"}, {"Modules", modules}, {"Installed there", "2 workers"}});
        QVERIFY(fixture.reads(QStringLiteral("InfiniBand mlx5_0")));
        settle();
        QVERIFY2(fixture.showsNow(QStringLiteral("openmpi/5.0.39")), "wrapped, not cut");
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-facts")), QStringList());
    }

    void enterGoesThroughTheFieldsBeforeAnythingIsSent()
    {
        SitesFixture fixture;
        fixture.show();
        PromptRound round;
        round.subject = "kim@alder";
        round.prompts = {{"Password:", false}, {"<h1>Code</h1> of your device, which shows six digits:", true}};
        const auto reply = std::make_shared<Reply<SignIn>>();
        auto answer = reply->future();
        askToSignIn(&fixture.window(), fixture.theme(), round, false, reply);
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
        QCOMPARE(given->answers.size(), std::size_t(2));
        QCOMPARE(std::string(given->answers[1].c_str()), std::string("424242"));
    }

    void enterOnAButtonPressesThatOne()
    {
        SitesFixture fixture;
        fixture.show();
        PromptRound round;
        round.prompts = {{"Password:", false}};
        const auto reply = std::make_shared<Reply<SignIn>>();
        auto answer = reply->future();
        askToSignIn(&fixture.window(), fixture.theme(), round, false, reply);
        auto* dialog = fixture.dialog();
        QVERIFY(dialog);
        auto* cancel = shown<QPushButton>(
            *dialog, [](const QPushButton& button) { return button.text() == QStringLiteral("Cancel"); });
        QVERIFY(cancel);
        cancel->setFocus();
        QTest::keyClick(cancel, Qt::Key_Return);
        QVERIFY2(!answer.get().has_value(), "an empty password was sent");
    }

    void aPassphraseIsAskedForWithTheAccountThatItLetsIn()
    {
        SitesFixture fixture;
        fixture.show();
        PromptRound round;
        round.kind = PromptRound::Kind::passphrase;
        round.subject = "/home/kim/.ssh/id_ed25519";
        round.account = "kim@alder.example.org";
        round.prompts = {{"Passphrase:", false}};
        const auto reply = std::make_shared<Reply<SignIn>>();
        auto answer = reply->future();
        askToSignIn(&fixture.window(), fixture.theme(), round, false, reply);
        auto* dialog = fixture.dialog();
        QVERIFY(dialog);
        QVERIFY(says(*dialog, QStringLiteral("Passphrase of /home/kim/.ssh/id_ed25519, for kim@alder.example.org")));
        QCOMPARE(lookAt(*dialog, QStringLiteral("sign-in-passphrase")), QStringList());
        QCOMPARE(dialog->findChild<QLineEdit*>()->echoMode(), QLineEdit::Password);
        dialog->reject();
        QCOMPARE(answer.get().error().code, ErrorCode::cancelled);
    }

    void aQuestionSaysHowLongTheSiteWaitsAndEndsThen()
    {
        SitesFixture fixture;
        fixture.show();
        PromptRound round;
        round.subject = "kim@alder";
        round.prompts = {{"Password:", false}};
        round.limit = std::chrono::milliseconds(2'500);
        const auto reply = std::make_shared<Reply<SignIn>>();
        auto answer = reply->future();
        askToSignIn(&fixture.window(), fixture.theme(), round, false, reply);
        QVERIFY(fixture.dialog());
        QVERIFY(says(*fixture.dialog(), QStringLiteral(" left to answer")));
        QVERIFY(waitFor([&] { return !openDialog(fixture.window()); }));
        const auto given = answer.get();
        QVERIFY(!given);
        QCOMPARE(given.error().code, ErrorCode::cancelled);
    }

    /// Its conductor cannot end before its site's thread has an answer, which comes only once the call has returned:
    /// who waited for it there would wait for ever.
    void anotherDatabaseIsOpenedWithoutAWaitForTheOneBefore()
    {
        Sshd sshd;
        REQUIRE_SSHD(sshd);
        SitesFixture fixture;
        fixture.describeAlder(sshd);
        Session& session = fixture.session();
        const auto isOpen = [&] { return session.access() == Session::Access::writing; };
        session.open(fixture.store());
        QVERIFY(waitFor(isOpen));
        HostKeyReply unanswered;
        connect(&session.questions(), &Questions::hostKeyAsked, this,
                [&](const HostKeyQuestion&, const HostKeyReply& reply) { unanswered = reply; });
        session.request(this, calling(&Conductor::prepareSite, "alder", false));
        QVERIFY(waitFor([&] { return unanswered != nullptr; }, kPatienceMs));
        session.open(fixture.folder() / "other.db");
        QCOMPARE(session.access(), Session::Access::opening);
        unanswered->give(false);
        QVERIFY(waitFor(isOpen, kPatienceMs));
    }

    void aServerThatAsksTwiceIsAnsweredInDialogs()
    {
        SshdOptions options;
        options.pamLine = "auth required " + testProgram("pam_asktwice.so") + " password=correct=horse code=424242";
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
        QVERIFY(fixture.testEnds());
        QVERIFY2(!openDialog(fixture.window()), "nothing is asked again by itself");
        const std::size_t connections = sshd.connections();
        settle();
        QCOMPARE(sshd.connections(), connections);
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
        live.runsChanged({fixture.runOn("alder")});
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

    void whatALostLineHadShownIsNotGreenWhileItIsTriedAgain()
    {
        SitesFixture fixture;
        fixture.fillStore();
        fixture.show();
        QtSink& live = fixture.session().live();
        SiteStates& states = fixture.session().sites();
        const auto reach = [&] { return states.stepsOf(QStringLiteral("alder"))[SiteStep::Kind::reach].state; };
        const auto isNow = [&](SiteStep::State state) { return waitFor([&] { return reach() == state; }); };
        using Contact = SiteStatus::Contact;
        live.siteChanged({"alder", Contact::connecting, wallNs(), "connecting"});
        live.siteStepped({"alder", SiteStep::Kind::reach, SiteStep::State::ok, "alder: OpenSSH", {}, {}, {}});
        QVERIFY(isNow(SiteStep::State::ok));
        live.siteChanged({"alder", Contact::connected, wallNs(), "2 cores"});
        settle(); // messages that come at the same time are shown once
        live.siteChanged({"alder", Contact::lost, wallNs(), "no answer for 30 s"});
        QVERIFY(isNow(SiteStep::State::notTried));
        live.siteChanged({"alder", Contact::connecting, wallNs(), "connecting"});
        live.siteStepped({"alder", SiteStep::Kind::agent, SiteStep::State::running, "Starting the agent", {}, {}, {}});
        settle();
        QCOMPARE(int(reach()), int(SiteStep::State::notTried));
        live.siteChanged({"alder", Contact::connected, wallNs(), "2 cores"}); // over the same line
        QVERIFY(isNow(SiteStep::State::ok));
        QStringList messages;
        for (const auto* list : fixture.window().findChildren<QListView*>())
            if (list->accessibleName() == QStringLiteral("Messages"))
                for (int row = 0; row < list->model()->rowCount(); ++row)
                    messages << list->model()->index(row, 0).data().toString();
        QCOMPARE(messages.size(), 2); // the newest first
        QVERIFY2(messages.back().startsWith(QStringLiteral("No contact with alder since ")), qPrintable(messages[1]));
        QVERIFY2(messages.front().startsWith(QStringLiteral("Contact with alder again")), qPrintable(messages[0]));
    }

    void afterARestartWithoutContactTimesAreTheStoredOnes()
    {
        SitesFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::monitor, QString::fromLatin1(kMeasuredExperiment));
        QVERIFY(fixture.reads(QStringLiteral("58 done")));
        QtSink& live = fixture.session().live();
        live.runsChanged({fixture.runOn("alder")});
        live.siteChanged({"alder", SiteStatus::Contact::lost, wallNs(), "no answer for 30 s"});
        const auto log = [&] {
            const auto isLog = [](const QPlainTextEdit& text) {
                return text.accessibleName() == QStringLiteral("Log");
            };
            auto* text = shown<QPlainTextEdit>(fixture.window(), isLog);
            return text ? text->placeholderText() : QString();
        };
        QVERIFY(waitFor(
            [&] { return log().endsWith(QStringLiteral("is on alder, and cannot be read without contact.")); }));
        live.siteChanged({"alder", SiteStatus::Contact::connected, wallNs(), "2 cores"});
        QVERIFY(waitFor([&] { return !log().contains(QStringLiteral("without contact")); }));
    }

    void aSiteThatRunsTellOfWasReached()
    {
        SitesFixture fixture;
        fixture.fillStore();
        Site site;
        site.name = site.host = "alder";
        QVERIFY(SiteBook::ofUser().and_then([&](const SiteBook& book) { return book.save(site); }));
        QVERIFY(loseContact(fixture.store(), "alder", wallNs() - 12 * 60'000'000'000));
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        QVERIFY(fixture.reads(QStringLiteral("last reached 12")));
        QVERIFY(!fixture.showsNow(QStringLiteral("before the first contact")));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::ConnectionsTest)
#include "test_connections.moc"
