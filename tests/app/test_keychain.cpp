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

namespace ringside::test {

namespace {

PromptRound passwordOf(const std::string& subject)
{
    PromptRound round;
    round.kind = PromptRound::Kind::password;
    round.subject = subject;
    return round;
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
        SshdOptions options;
        options.pamLine = "auth required " + testProgram("pam_asktwice.so") + " password=correct=horse";
        options.config = "PubkeyAuthentication no\nKbdInteractiveAuthentication no\nPasswordAuthentication yes";
        Sshd sshd(options);
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

private:
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
