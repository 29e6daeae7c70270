// SPDX-License-Identifier: MIT
// A newcomer's way in the window to a figure of a cluster, with the real demo cluster.
#include "app/shell/actions.h"
#include "app/shell/democard.h"
#include "app/text/text.h"
#include "core/sites/sitebook.h"
#include "core/store/queries.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/windowfixture.h"
#include "tests/support/built.h"

#include <QAction>
#include <QDialog>
#include <QDir>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QTest>
#include <algorithm>
#include <unistd.h>

namespace ringside::test {

namespace {

constexpr int kUpMs = 300'000;
constexpr int kRunsMs = 400'000;
constexpr int kScriptMs = 60'000;
constexpr int kRuns = 18; // of three-nodes.toml

/// The cluster that Welcome's card of this window starts; ended whatever the test does.
class DemoCluster
{
public:
    explicit DemoCluster(const WindowFixture& fixture)
        : m_state(fixture.folder() / "ringside/demo-cluster")
    {
    }
    ~DemoCluster() { (void)run("down.sh", {}); }

    bool run(const char* script, const std::vector<std::string>& words) const
    {
        QStringList arguments{QStringLiteral("--state"), toQt(m_state.string())};
        for (const std::string& word : words)
            arguments << toQt(word);
        QProcess process;
        process.start(toQt(sourceFolder() / "tests/cluster" / script), arguments);
        return process.waitForFinished(kScriptMs) && process.exitCode() == 0;
    }

    /// The worker without torch, so that none is built there first.
    void putWorker() const
    {
        const fs::path bin = m_state / "cluster/home/ringside-demo/bin";
        fs::create_directories(bin);
        fs::copy_file(testProgram("testworker"), bin / "testworker");
        const auto saved = SiteBook::ofUser().and_then([](const SiteBook& book) {
            return book.find("demo").and_then([&](Site site) {
                site.worker = "/home/ringside-demo/bin/testworker";
                return book.save(site);
            });
        });
        QVERIFY2(saved.has_value(), saved ? "" : saved.error().text().c_str());
    }

private:
    fs::path m_state;
};

int done(const WindowFixture& fixture)
{
    const auto db = store::Database::openForReading(fixture.store());
    const auto runs = db ? store::runs(*db, {}) : Result<std::vector<store::RunRow>>();
    return runs ? int(std::ranges::count_if(*runs, [](const auto& run) { return run.state == RunState::done; })) : 0;
}

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
                     toQt(sourceFolder())});
        QVERIFY(shell.waitForFinished());
        qputenv("RINGSIDE_TORCH", shell.readAllStandardOutput().trimmed());
    }

    /// From Welcome to a figure, with the cable to the cluster pulled while it runs.
    void aNewcomersPath()
    {
        if (::geteuid() != 0)
            QSKIP("root's rights are needed to bring a cluster up.");
        WindowFixture fixture;
        const DemoCluster cluster(fixture);
        fixture.show();
        startFromTheCard(fixture);
        cluster.putWorker();
        connectTo(fixture);
        launch(fixture);
        QVERIFY(waitFor([&] { return done(fixture) >= 2; }, kRunsMs));
        QVERIFY(cluster.run("link.sh", {"outside", "cut"}));
        QVERIFY(
            waitFor([&] { return says(fixture.window(), QStringLiteral("No contact with demo since ")); }, kRunsMs));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("demo-cut")), QStringList());
        const int doneBefore = done(fixture);
        QVERIFY(cluster.run("link.sh", {"outside", "mend"}));
        QVERIFY(waitFor([&] { return done(fixture) == kRuns; }, kRunsMs));
        QVERIFY2(doneBefore < kRuns, "the cable was in its place while the last runs ended");
        exportSpeedUp(fixture);
    }

    void aClusterThatDoesNotComeUpSaysWhy()
    {
        WindowFixture fixture;
        fixture.show();
        const fs::path state = fixture.folder() / "ringside/demo-cluster";
        fs::create_directories(state); // not the demo's
        QVERIFY(writeFileAtomically(state / "thesis.tex", "x"));
        auto* page = static_cast<QWidget*>(fixture.window().currentPage());
        buttonOf(*page, QStringLiteral("Start the demo cluster"))->click();
        QVERIFY(waitFor([&] { return buttonOf(*page, QStringLiteral("Try again")) != nullptr; }, kUpMs));
        QVERIFY(says(*page, QStringLiteral("holds something that is no demo cluster")));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("demo-failed")), QStringList());
        QVERIFY(fs::exists(state / "thesis.tex"));
    }

private:
    static void startFromTheCard(WindowFixture& fixture)
    {
        QVERIFY(!DemoCard::script().isEmpty());
        auto* page = static_cast<QWidget*>(fixture.window().currentPage());
        auto* start = buttonOf(*page, QStringLiteral("Start the demo cluster"));
        QVERIFY(start);
        auto* neighbour = buttonOf(*page, QStringLiteral("Run the example"));
        const int before = neighbour->y();
        start->click();
        QVERIFY(!start->isEnabled());
        QVERIFY(waitFor([&] { return says(*page, QStringLiteral("Slurm and sshd")); }, kUpMs));
        QCOMPARE(neighbour->y(), before);
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("demo-starting")), QStringList());
        QVERIFY(waitFor([&] { return start->isEnabled(); }, kUpMs));
        QCOMPARE(start->text(), QStringLiteral("Show the site"));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("demo-up")), QStringList());
        start->click();
    }

    static void connectTo(WindowFixture& fixture)
    {
        auto* sites = static_cast<QWidget*>(fixture.window().currentPage());
        auto* list = sites->findChild<QListView*>();
        QVERIFY(list);
        QVERIFY(waitFor([&] { return list->currentIndex().data().toString() == QStringLiteral("demo"); }));
        fixture.window().actions()[ActionId::testSite]->trigger();
        QVERIFY(waitFor([&] { return says(*sites, QStringLiteral("8 of 8 steps done")); }, kUpMs));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("demo-site")), QStringList());
    }

    static void launch(WindowFixture& fixture)
    {
        auto& window = fixture.window();
        window.openFile(toQt(sourceFolder() / "resources/experiments/three-nodes.toml"));
        QAction* launch = window.actions()[ActionId::launch];
        QVERIFY(waitFor([&] {
            return window.currentPage()->windowName() == QStringLiteral("three-nodes") && launch->isEnabled();
        }));
        launch->trigger();
        QVERIFY(waitFor([&] { return openDialog(window) != nullptr; }));
        auto* go = buttonOf(*openDialog(window), QStringLiteral("Launch %1 runs").arg(kRuns));
        QVERIFY(go);
        QVERIFY(waitFor([&] { return go->isEnabled(); }, kUpMs));
        QVERIFY(openDialog(window)->findChild<QPlainTextEdit*>()->toPlainText().contains(
            QStringLiteral("#SBATCH --nodes=3")));
        QCOMPARE(lookAt(*openDialog(window), QStringLiteral("demo-launch")), QStringList());
        go->click();
    }

    static void exportSpeedUp(WindowFixture& fixture)
    {
        auto& window = fixture.window();
        fixture.go(PageId::compare, QStringLiteral("three-nodes"), QStringLiteral("speedup"));
        QVERIFY(waitFor([&] { return window.actions()[ActionId::exportFigure]->isEnabled(); }));
        settle();
        QCOMPARE(lookAt(window, QStringLiteral("demo-speed-up")), QStringList());
        window.actions()[ActionId::exportFigure]->trigger();
        QVERIFY(waitFor([&] { return openDialog(window) != nullptr; }));
        auto* folder = shown<QLineEdit>(*openDialog(window), [](const QLineEdit& edit) {
            return edit.accessibleName() == QStringLiteral("Folder");
        });
        QVERIFY(folder);
        folder->setText(toQt(fixture.folder().string()));
        settle();
        shown<QPushButton>(*openDialog(window), [](const QPushButton& button) {
            return button.property("primary").toBool();
        })->click();
        const QDir written(toQt(fixture.folder().string()));
        QVERIFY(waitFor([&] { return !written.entryList({QStringLiteral("*.pdf")}, QDir::Files).isEmpty(); }));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::DemoTest)
#include "test_demo.moc"
