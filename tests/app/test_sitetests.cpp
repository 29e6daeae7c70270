// SPDX-License-Identifier: MIT
// Connection tests while they run: they can be stopped wherever they are, and a build shows its log.
#include "app/session/knownsites.h"
#include "core/sites/sitebook.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/sitesfixture.h"
#include "tests/support/built.h"
#include "tests/support/runningtime.h"

#include <QDialog>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <arpa/inet.h>
#include <fstream>
#include <sys/socket.h>
#include <unistd.h>

namespace ringside::test {

namespace {

constexpr std::chrono::seconds kAtOnce{5}; // sooner than any limit of a connection

/// A port of this computer that accepts connections and never sends anything.
class SilentPort
{
public:
    SilentPort()
        : m_fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        m_address.sin_family = AF_INET;
        m_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof m_address;
        m_isOpen = ::bind(m_fd, reinterpret_cast<sockaddr*>(&m_address), size) == 0 && ::listen(m_fd, 8) == 0 &&
                   ::getsockname(m_fd, reinterpret_cast<sockaddr*>(&m_address), &size) == 0;
    }
    ~SilentPort() { ::close(m_fd); }
    SilentPort(const SilentPort&) = delete;
    SilentPort& operator=(const SilentPort&) = delete;

    bool isOpen() const { return m_isOpen; }
    int port() const { return ntohs(m_address.sin_port); }

private:
    int m_fd;
    sockaddr_in m_address{};
    bool m_isOpen = false;
};

Result<void> changeAlder(const std::function<void(Site&)>& change)
{
    TRY_ASSIGN(const SiteBook book, SiteBook::ofUser());
    Site site = book.find("alder").value_or(Site{});
    change(site);
    return book.save(site);
}

bool offers(SitesFixture& fixture, const char* text)
{
    QAction& action = fixture.action(ActionId::testSite);
    return waitFor([&] { return action.isEnabled() && action.iconText() == QString::fromLatin1(text); }, kPatienceMs);
}

} // namespace

class SiteTestTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theLogOfABuildIsShownWhileItGrows()
    {
        SitesFixture fixture;
        QVERIFY(changeAlder([](Site& alder) { alder.name = alder.host = "alder"; }).has_value());
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        auto& page = *fixture.window().currentPage();
        const auto showLog = [&] {
            return shown<QPushButton>(page,
                                      [](const QPushButton& b) { return b.text() == QStringLiteral("Show log"); });
        };
        QVERIFY2(!showLog(), "there is none");
        SiteStep step{"alder", SiteStep::Kind::worker, SiteStep::State::running, "Configuring", {}, {}, 7};
        step.log = "$ cmake -S agent/worker\n-- Configuring done\n";
        fixture.session().live().siteStepped(step);
        QVERIFY(waitFor([&] { return showLog() != nullptr; }));
        showLog()->click();
        auto* dialog = fixture.dialog();
        QVERIFY(dialog);
        auto* log = dialog->findChild<QPlainTextEdit*>();
        QCOMPARE(log->toPlainText(), QStringLiteral("$ cmake -S agent/worker\n-- Configuring done"));
        step.text = "[3/156] Building <b>train.cpp</b>";
        step.log = "[3/156] Building <b>train.cpp</b>\n";
        for (int i = 0; i < 60; ++i)
            step.log += fmt::format("train.cpp:{}: warning: unused\n", i);
        fixture.session().live().siteStepped(step);
        QVERIFY(waitFor([&] { return log->toPlainText().endsWith(QStringLiteral("train.cpp:59: warning: unused")); }));
        QCOMPARE(log->verticalScrollBar()->value(), log->verticalScrollBar()->maximum());
        QVERIFY(log->toPlainText().contains(QStringLiteral("<b>train.cpp</b>")));
        QCOMPARE(lookAt(*dialog, QStringLiteral("build-log")), QStringList());
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-building")), QStringList());
        QTest::keyClick(dialog, Qt::Key_Escape);
        QVERIFY(waitFor([&] { return !openDialog(fixture.window()); }));
        QVERIFY(showLog());
    }

    void whatAnEarlierStartKnewIsShownWithItsTime()
    {
        SitesFixture fixture;
        QVERIFY(changeAlder([](Site& alder) { alder.name = alder.host = "alder"; }).has_value());
        {
            QtSink sink;
            SiteStates states(sink);
            const KnownSites known(states, fixture.preferences());
            sink.siteStepped({"alder", SiteStep::Kind::reach, SiteStep::State::ok, "login1.alder.example", {}, {}});
            sink.siteFound("alder", {{"GPUs", "4 × A100"}});
            QVERIFY(waitFor([&] { return !states.stepsOf(QStringLiteral("alder")).empty(); }));
        }
        SitesFixture later; // its session is of a later start
        QVERIFY(changeAlder([](Site& alder) { alder.name = alder.host = "alder"; }).has_value());
        later.preferences().setWindowValue(QStringLiteral("sites/known"),
                                           fixture.preferences().windowValue(QStringLiteral("sites/known")));
        later.show();
        later.choose(QStringLiteral("alder"));
        QVERIFY(later.reads(QStringLiteral("1 of 8 steps done, as of ")));
        QVERIFY(later.reads(QStringLiteral("login1.alder.example")));
        QVERIFY(later.reads(QStringLiteral("4 × A100")));
        QCOMPARE(lookAt(later.window(), QStringLiteral("sites-of-an-earlier-start")), QStringList());
    }

    void aTestThatCannotBeginLeavesWhatTheOneBeforeFound()
    {
        SitesFixture fixture;
        QVERIFY(changeAlder([](Site& alder) { alder.name = alder.host = "alder"; }).has_value());
        Session writer({});
        writer.open(fixture.store());
        QVERIFY(waitFor([&] { return writer.access() == Session::Access::writing; }));
        fixture.show();
        QVERIFY(waitFor([&] { return fixture.session().access() == Session::Access::reading; }));
        fixture.choose(QStringLiteral("alder"));
        fixture.session().live().siteStepped(
            {"alder", SiteStep::Kind::reach, SiteStep::State::ok, "login1.alder.example", {}, {}});
        QVERIFY(fixture.reads(QStringLiteral("login1.alder.example")));
        fixture.action(ActionId::testSite).trigger();
        QVERIFY(waitFor([&] {
            return shown<MessageBar>(*fixture.window().currentPage(), [](const MessageBar& bar) {
                return bar.text().contains(QStringLiteral("End that program first."));
            });
        }));
        QVERIFY(offers(fixture, "Test connection"));
        QVERIFY(fixture.showsNow(QStringLiteral("login1.alder.example")));
    }

    void aHostThatSaysNothingIsNotWaitedFor()
    {
        const SilentPort silent;
        QVERIFY(silent.isOpen());
        SitesFixture fixture;
        QVERIFY(changeAlder([&](Site& site) {
            site.name = "alder";
            site.host = "127.0.0.1";
            site.user = "kim";
            site.port = silent.port();
        }));
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        for (int round = 0; round < 2; ++round) { // a test can follow at once
            fixture.action(ActionId::testSite).trigger();
            QVERIFY(offers(fixture, "Stop test"));
            QVERIFY(waitFor([&] { return fixture.status() == QStringLiteral("connecting"); }));
            const RunningTime time;
            fixture.action(ActionId::testSite).trigger();
            QVERIFY(offers(fixture, "Test connection"));
            QVERIFY2(time.elapsed() < kAtOnce, qPrintable(QString::number(time.elapsed().count())));
            QVERIFY(fixture.reads(QStringLiteral("stopped")));
            QVERIFY(fixture.showsNow(QStringLiteral("0 of 8 steps done")));
            QVERIFY2(!shown<MessageBar>(*fixture.window().currentPage(), [](const MessageBar&) { return true; }),
                     "nothing has failed");
        }
        settle();
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-stopped-connecting")), QStringList());
    }

    void aStopWhileSshIsAskedIsNoRefusal()
    {
        SitesFixture fixture;
        const fs::path config = fixture.folder() / "ssh-config", asked = fixture.folder() / "asked";
        std::ofstream(config) << fmt::format("Match exec \"touch '{}'; sleep 60\"\n  User kim\n", asked.string());
        fs::permissions(config, fs::perms::owner_read | fs::perms::owner_write);
        QVERIFY(changeAlder([&](Site& site) {
            site.name = site.host = "alder";
            site.sshConfig = config.string();
        }));
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        fixture.action(ActionId::testSite).trigger();
        QVERIFY(waitFor([&] { return fs::exists(asked); }, kPatienceMs));
        fixture.action(ActionId::testSite).trigger();
        QVERIFY(offers(fixture, "Test connection"));
        QVERIFY(fixture.reads(QStringLiteral("stopped")));
    }

    void aProbeIsNotWaitedForAndTheNextTestIsWhole()
    {
        Sshd sshd;
        REQUIRE_SSHD(sshd);
        sshd.trust();
        SitesFixture fixture;
        fixture.describeAlder(sshd);
        const fs::path slow = fixture.folder() / "slow-worker"; // which the probe runs
        std::ofstream(slow) << "#!/bin/sh\nsleep 8\n";
        fs::permissions(slow, fs::perms::owner_all);
        QVERIFY(changeAlder([&](Site& site) { site.worker = slow.string(); }));
        fixture.show();
        fixture.choose(QStringLiteral("alder"));
        fixture.action(ActionId::testSite).trigger();
        QVERIFY(offers(fixture, "Stop test"));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-testing")), QStringList());
        QVERIFY(fixture.reads(QStringLiteral("ringside-agent ")));
        QVERIFY(waitFor([&] { return fixture.status().startsWith(QStringLiteral("connected")); }, kPatienceMs));
        fixture.action(ActionId::testSite).trigger();
        QVERIFY(offers(fixture, "Test connection"));
        QVERIFY(fixture.reads(QStringLiteral("stopped")));
        QVERIFY(fixture.showsNow(QStringLiteral("4 of 8 steps done")));
        QCOMPARE(fixture.status(), QStringLiteral("connected · test stopped"));
        QVERIFY(!openDialog(fixture.window()));
        settle();
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-stopped")), QStringList());

        QVERIFY(changeAlder([&](Site& site) { site.worker = testProgram("testworker"); }));
        fixture.action(ActionId::testSite).trigger();
        QVERIFY(fixture.reads(QStringLiteral("8 of 8 steps done")));
        QVERIFY(fixture.status().startsWith(QStringLiteral("connected · ")));
        QVERIFY(!fixture.status().contains(QStringLiteral("stopped")));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::SiteTestTest)
#include "test_sitetests.moc"
