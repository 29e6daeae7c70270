// SPDX-License-Identifier: MIT
// Welcome's card of the demo cluster, with a real one behind it: started, shown, and connected to.
#include "app/pages/welcome/democard.h"
#include "app/shell/actions.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/windowfixture.h"

#include <QAction>
#include <QListView>
#include <QProcess>
#include <QPushButton>
#include <QTest>
#include <unistd.h>

namespace ringside::test {

namespace {

constexpr int kUpMs = 300'000;

/// What the card started is ended whatever the test does.
struct Ending
{
    ~Ending()
    {
        QString down = DemoCard::script();
        down.replace(QStringLiteral("/up.sh"), QStringLiteral("/down.sh"));
        QProcess process;
        process.start(down);
        process.waitForFinished(60'000);
    }
};

} // namespace

class DemoTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Each window has a data folder of its own: without this the script would get libtorch into it.
    void initTestCase()
    {
        QProcess shell;
        shell.start(QStringLiteral("bash"),
                    {QStringLiteral("-c"), QStringLiteral(". \"$0\"/installers/common.sh; torch_folder"),
                     QStringLiteral(RINGSIDE_SOURCE)});
        QVERIFY(shell.waitForFinished());
        qputenv("RINGSIDE_TORCH", shell.readAllStandardOutput().trimmed());
    }

    void theCardStartsTheClusterAndLeadsToItsSite()
    {
        if (::geteuid() != 0)
            QSKIP("root's rights are needed to bring a cluster up.");
        WindowFixture fixture;
        const Ending ending;
        fixture.show();
        QVERIFY(!DemoCard::script().isEmpty());
        auto* page = static_cast<QWidget*>(fixture.window().currentPage());
        auto* start = buttonOf(*page, QStringLiteral("Start the demo cluster"));
        QVERIFY(start);
        start->click();
        QVERIFY(!start->isEnabled());
        QVERIFY(waitFor([&] { return says(*page, QStringLiteral("Slurm and sshd")); }, kUpMs));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("demo-starting")), QStringList());
        QVERIFY(waitFor([&] { return start->isEnabled(); }, kUpMs));
        QCOMPARE(start->text(), QStringLiteral("Show the site"));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("demo-up")), QStringList());
        start->click();
        auto* sites = static_cast<QWidget*>(fixture.window().currentPage());
        auto* list = sites->findChild<QListView*>();
        QVERIFY(list);
        QVERIFY(waitFor([&] { return list->currentIndex().data().toString() == QStringLiteral("demo"); }));
        fixture.window().actions()[ActionId::testSite]->trigger();
        QVERIFY2(waitFor([&] { return says(*sites, QStringLiteral("3 nodes")); }, kUpMs), "what was found there");
        fixture.window().actions()[ActionId::disconnectSite]->trigger();
    }

    void aClusterThatDoesNotComeUpSaysWhy()
    {
        WindowFixture fixture;
        fixture.show();
        const fs::path state = fixture.folder() / "ringside/demo-cluster";
        fs::create_directories(state); // somebody else's
        QVERIFY(writeFileAtomically(state / "thesis.tex", "x"));
        auto* page = static_cast<QWidget*>(fixture.window().currentPage());
        buttonOf(*page, QStringLiteral("Start the demo cluster"))->click();
        QVERIFY(waitFor([&] { return buttonOf(*page, QStringLiteral("Try again")) != nullptr; }, kUpMs));
        QVERIFY(says(*page, QStringLiteral("holds something that is no demo cluster")));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("demo-failed")), QStringList());
        QVERIFY(fs::exists(state / "thesis.tex"));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::DemoTest)
#include "test_demo.moc"
