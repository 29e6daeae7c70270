// SPDX-License-Identifier: MIT
// Passwords that are kept, with a real sshd and the desktop's keychain: that of the session bus that keyring.sh gives.
#include "app/session/keychain.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/sitesfixture.h"
#include "tests/support/built.h"

#include <QAction>
#include <QCheckBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <fstream>

namespace ringside::test {

namespace {

PromptRound passwordOf(const std::string& subject)
{
    PromptRound round;
    round.kind = PromptRound::Kind::password;
    round.subject = subject;
    return round;
}

SshdOptions wanting(const std::string& password)
{
    SshdOptions options;
    options.pamLine = "auth required " + testProgram("pam_asktwice.so") + " password=" + password;
    options.config = "PubkeyAuthentication no\nKbdInteractiveAuthentication no\nPasswordAuthentication yes";
    return options;
}

} // namespace

class KeychainTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        Keychain keychain;
        std::optional<bool> isThere;
        keychain.read(QStringLiteral("nothing"), [&](const Keychain::Found& found) { isThere = found.isThere; });
        QVERIFY(waitFor([&] { return isThere.has_value(); }, kPatienceMs));
        // keyring.sh has started one
        QVERIFY2(*isThere || !environment("RINGSIDE_KEYRING"), "its keychain does not answer");
        if (!*isThere)
            QSKIP("no keychain answers on this session's bus");
    }

    void aPasswordIsKeptOnceItWasAcceptedAndForgottenOnceItWasRefused()
    {
        Sshd sshd(wanting("correct=horse"));
        REQUIRE_SSHD(sshd);
        sshd.trust();
        SitesFixture fixture;
        fixture.describeAlder(sshd);
        fixture.show();
        fixture.choose(QStringLiteral("alder"));

        const std::string account = signIn(fixture, "wrong", true);
        QVERIFY(fixture.testEnds());
        signIn(fixture, "correct=horse", true); // the wrong one was not kept
        QVERIFY(fixture.reads(QStringLiteral("8 of 8 steps done")));
        disconnect(fixture);

        fixture.action(ActionId::testSite).trigger();
        QVERIFY(fixture.reads(QStringLiteral("8 of 8 steps done")));
        QVERIFY2(!openDialog(fixture.window()), "what was kept was given");
        disconnect(fixture);

        Keychain keychain;
        keychain.keep(Keychain::nameOf(passwordOf(account)), Secret("stale"));
        QVERIFY(waitFor([&] { return kept(keychain, account) == "stale"; }));
        signIn(fixture, "correct=horse", false); // asked for in the same attempt
        QVERIFY(fixture.reads(QStringLiteral("8 of 8 steps done")));
        QVERIFY(waitFor([&] { return !kept(keychain, account); }));
    }

    /// Tunnels of ssh end at this computer: their hosts share its name, and are told apart by HostKeyAlias.
    void aPasswordThatIsKeptForOneTunnelIsNotOfferedToAnother()
    {
        Sshd alder(wanting("correct=horse")), birch(wanting("battery=staple"));
        REQUIRE_SSHD(alder);
        REQUIRE_SSHD(birch);
        SitesFixture fixture;
        describeTunnel(fixture, "alder", alder);
        describeTunnel(fixture, "birch", birch);
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        const std::string atAlder = signIn(fixture, "correct=horse", true);
        QCOMPARE(atAlder, ownUser() + "@" + tunnelTo("alder", alder));
        disconnect(fixture);

        fixture.choose(QStringLiteral("birch"));
        const std::string atBirch = signIn(fixture, "battery=staple", true); // asked for, whatever alder's is
        QCOMPARE(atBirch, ownUser() + "@" + tunnelTo("birch", birch));
        disconnect(fixture);
        for (const char* name : {"alder", "birch"}) {
            fixture.choose(QString::fromLatin1(name));
            fixture.action(ActionId::testSite).trigger();
            QVERIFY(waitFor([&] { return fixture.status().startsWith(QStringLiteral("connected")); }, kPatienceMs));
            QVERIFY2(!openDialog(fixture.window()), "each is given its own");
            disconnect(fixture);
        }
        for (const Sshd* sshd : {&alder, &birch})
            QVERIFY2(sshd->log().find("Failed password") == std::string::npos, sshd->log().c_str());
        Keychain keychain;
        for (const std::string& account : {atAlder, atBirch}) {
            keychain.forget(Keychain::nameOf(passwordOf(account)));
            QVERIFY(waitFor([&] { return !kept(keychain, account); }));
        }
    }

private:
    /// A name of this sshd alone: what an earlier run of the test left in a keychain is none of its own.
    static std::string tunnelTo(const std::string& name, const Sshd& sshd)
    {
        return fmt::format("{}-{}.tunnel", name, sshd.port());
    }

    static void describeTunnel(SitesFixture& fixture, const std::string& name, const Sshd& sshd)
    {
        const std::string alias = tunnelTo(name, sshd);
        std::ofstream(sshd.knownHosts()) << alias << " " << sshd.hostKey() << "\n";
        fixture.describe(name, sshd, "HostKeyAlias " + alias);
    }

    /// Begins a test, answers its question, and says whose password was asked for.
    static std::string signIn(SitesFixture& fixture, const char* password, bool keep)
    {
        fixture.action(ActionId::testSite).trigger();
        auto* dialog = fixture.dialog();
        if (!dialog)
            return {};
        auto* tick = dialog->findChild<QCheckBox*>();
        if (!tick->isVisible() || tick->isChecked())
            return QTest::qFail("a tick that can be set, and is not", __FILE__, __LINE__), std::string();
        for (const QString& problem : lookAt(*dialog, QStringLiteral("sign-in-keep")))
            QTest::qFail(qPrintable(problem), __FILE__, __LINE__);
        tick->setChecked(keep);
        const auto* sentence = shown<QLabel>(
            *dialog, [](const QLabel& label) { return label.text().startsWith(QStringLiteral("Password of ")); });
        const std::string account =
            sentence ? sentence->text().mid(QStringLiteral("Password of ").size()).toStdString() : std::string();
        QTest::keyClicks(dialog->findChild<QLineEdit*>(), QString::fromLatin1(password));
        QTest::keyClick(dialog, Qt::Key_Return);
        return account;
    }

    static void disconnect(SitesFixture& fixture)
    {
        QVERIFY(fixture.testEnds()); // its last step is shown a moment before; until then the button stops it
        fixture.action(ActionId::disconnectSite).trigger();
        QVERIFY(waitFor([&] { return fixture.status().startsWith(QStringLiteral("disconnected since")); }));
    }

    static std::optional<std::string> kept(Keychain& keychain, const std::string& account)
    {
        std::optional<Keychain::Found> found;
        keychain.read(Keychain::nameOf(passwordOf(account)), [&](Keychain::Found what) { found = std::move(what); });
        waitFor([&] { return found.has_value(); });
        return found && found->secret ? std::optional<std::string>(found->secret->c_str()) : std::nullopt;
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::KeychainTest)
#include "test_keychain.moc"
