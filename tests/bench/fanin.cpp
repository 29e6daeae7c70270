// SPDX-License-Identifier: GPL-3.0-or-later
// 1,024 ranks of five iterations a second each, followed by a relay over SSH, stored, and shown by the window: checks
// that every sample is stored once; measures the relay's share of a core, the stalls of the window's thread, and the
// age of a sample when the window has it.
//                                                                                usage: bench_fanin [SECONDS [RANKS]]
#include "app/pages/pages.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/text/text.h"
#include "app/window/mainwindow.h"
#include "core/base/clock.h"
#include "core/base/environment.h"
#include "core/protocol/layout.h"
#include "core/store/edits.h"
#include "core/store/queries.h"
#include "tests/bench/support/benchsite.h"
#include "tests/bench/support/numbers.h"
#include "tests/bench/support/processcost.h"
#include "tests/bench/support/stallprobe.h"
#include "tests/support/addcampaign.h"
#include "tests/support/built.h"

#include <QApplication>
#include <QProcess>
#include <QTimer>
#include <SQLiteCpp/SQLiteCpp.h>

using namespace ringside;
using namespace ringside::bench;

namespace {

constexpr int kPerSecond = 5;
constexpr std::chrono::seconds kEndLimit{120}; ///< from the last sample's writing until the window knows the end
const QString kExperiment = QStringLiteral("fan-in");

CampaignPlan makePlan(store::Database& db, const fs::path& root, int ranks, int seconds)
{
    const Settings settings{{"model", Value(std::string("resnet50"))},
                            {"ranks", Value(std::int64_t{ranks})},
                            {"nodes", Value(std::int64_t{std::max(1, ranks / 8)})}};
    const std::string name = kExperiment.toStdString();
    must(store::saveExperiment(db, {name, "", BenchSite::kName, 1, "format = 1\n", {{"key", settings, {}}}}));
    CampaignPlan plan;
    plan.campaign = CampaignId::random();
    plan.store = db.id();
    plan.experiment = name;
    plan.site = BenchSite::kName;
    plan.worker = test::testProgram("testworker");
    plan.dataFolder = (root / "data").string();
    plan.runs = {{RunId::random(), 0, RunKind::run, "key", 1, settings, {}, kPerSecond * seconds, 5, 1}};
    must(test::addCampaign(db, plan));
    return plan;
}

/// As after a submission: the store knows that the site has it, and the site has it.
CampaignPlan submit(const BenchSite& site, const fs::path& storePath, int ranks, int seconds)
{
    store::Database db = must(store::Database::openForWriting(storePath));
    CampaignPlan plan = makePlan(db, site.root(), ranks, seconds);
    const fs::path campaign = layout::campaignFolder(site.root(), plan.campaign);
    must(makePrivateFolder(campaign));
    must(writeFileAtomically(layout::planFile(campaign), planToJson(plan)));
    must(store::setStage(db, plan.campaign, campaign::Stage::submitting));
    must(store::setStage(db, plan.campaign, campaign::Stage::submitted, "crowd"));
    return plan;
}

std::int64_t storedSamples(const fs::path& storePath)
{
    const SQLite::Database db(storePath.string());
    SQLite::Statement count(db, "SELECT count(*) FROM samples");
    count.executeStep();
    return count.getColumn(0).getInt64();
}

/// The window's input, while it is watched.
struct Watch
{
    std::vector<double> agesMs; ///< of each sample, when the window gets it
    std::size_t leftOut = 0;
    std::optional<double> endedAfter; ///< seconds since the crowd ended
    std::int64_t crowdEndedNs = 0;
    std::optional<pid_t> relay;
    double relaySeconds = 0, overSeconds = 0, relayMegabytes = 0;

    void take(const std::vector<SampleBatch>& batches)
    {
        for (const SampleBatch& batch : batches)
            for (const Sample& sample : batch.samples)
                agesMs.push_back(double(monotonicNs() - sample.endNs()) / 1e6);
    }
};

/// The relay's time while the ranks write, from the tenth second on.
class RelayWatch
{
public:
    RelayWatch(Watch& watch, fs::path root)
        : m_watch(watch)
        , m_root(std::move(root))
    {
    }

    void begin()
    {
        m_watch.relay = agentWith("relay", m_root.string());
        m_beganNs = monotonicNs();
        m_before = m_watch.relay ? cpuSeconds(*m_watch.relay) : 0;
    }

    void end()
    {
        if (!m_watch.relay || agentWith("relay", m_root.string()) != m_watch.relay)
            return;
        m_watch.relaySeconds = cpuSeconds(*m_watch.relay) - m_before;
        m_watch.overSeconds = double(monotonicNs() - m_beganNs) / 1e9;
        m_watch.relayMegabytes = peakMegabytes(*m_watch.relay);
    }

private:
    Watch& m_watch;
    fs::path m_root;
    std::int64_t m_beganNs = 0;
    double m_before = 0;
};

void printFigures(const Watch& watch, const StallProbe& probe, std::int64_t stored, int ranks, int seconds)
{
    const std::int64_t expected = std::int64_t{ranks} * kPerSecond * seconds;
    fmt::print("fanin.lost {} samples 0  # {} of {} stored, {} ranks, {} s\n", expected - stored, stored, expected,
               ranks, seconds);
    if (watch.overSeconds > 0)
        fmt::print("fanin.relay_cpu {:.2f} % 5  # of one core, over {:.0f} s; {:.1f} MB at most\n",
                   100 * watch.relaySeconds / watch.overSeconds, watch.overSeconds, watch.relayMegabytes);
    fmt::print("fanin.stall_p99 {:.1f} ms 16  # median {:.1f}, longest {:.1f}; {} probes\n",
               quantile(probe.delaysMs(), 0.99), median(probe.delaysMs()), quantile(probe.delaysMs(), 1),
               probe.delaysMs().size());
    if (!watch.agesMs.empty())
        fmt::print(
            "fanin.age_p95 {:.1f} s -  # of a sample when the window has it; median {:.1f}, oldest {:.1f}; {} left "
            "out live\n",
            quantile(watch.agesMs, 0.95) / 1e3, median(watch.agesMs) / 1e3, quantile(watch.agesMs, 1) / 1e3,
            watch.leftOut);
    fmt::print("fanin.end {:.1f} s -  # from the end of the job until the window knows it\n",
               watch.endedAfter.value_or(-1));
}

} // namespace

int main(int argc, char** argv)
{
    const int seconds = argc > 1 ? std::atoi(argv[1]) : 300;
    const int ranks = argc > 2 ? std::atoi(argv[2]) : 1024;
    if (!environment("DISPLAY") && !environment("WAYLAND_DISPLAY"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const BenchSite site;
    site.makeUsers();
    QApplication application(argc, argv);
    const fs::path store = site.options().store;
    const CampaignPlan plan = submit(site, store, ranks, seconds);

    Preferences preferences(QString::fromStdString((site.folder() / "settings.ini").string()));
    Session session(Programs::beside(test::builtPrograms()));
    ThemeController theme;
    theme.apply(Appearance::light, FontChoice::ringside, 1);
    MainWindow window(session, preferences, theme, allPages());
    window.resize(1280, 800);
    window.show();

    Watch watch;
    RelayWatch relay(watch, site.root());
    QObject::connect(&session.live(), &QtSink::samplesReceived, &application,
                     [&](const std::vector<SampleBatch>& batches) { watch.take(batches); });
    QObject::connect(&session.live(), &QtSink::samplesLeftOut, &application,
                     [&](std::size_t count) { watch.leftOut += count; });
    QProcess crowd;
    crowd.setProcessChannelMode(QProcess::ForwardedChannels);
    QObject::connect(&crowd, &QProcess::finished, &application, [&] {
        relay.end();
        watch.crowdEndedNs = monotonicNs();
        QTimer::singleShot(kEndLimit, &application, &QApplication::quit);
    });
    QObject::connect(&session.live(), &QtSink::runsUpdated, &application, [&](const std::vector<store::RunRow>& rows) {
        if (rows.empty() || !isFinal(rows.front().state) || watch.endedAfter)
            return;
        watch.endedAfter = watch.crowdEndedNs ? double(monotonicNs() - watch.crowdEndedNs) / 1e9 : 0;
        QTimer::singleShot(1000, &application, &QApplication::quit);
    });
    crowd.start(toQt(test::builtPrograms() / "../bench/bench_crowd"),
                {toQt(layout::campaignFolder(site.root(), plan.campaign)), toQt(site.root())});
    session.open(store);
    StallProbe probe;
    QTimer::singleShot(1000, &application, [&] {
        window.go({PageId::monitor, kExperiment, {}, {}, {}});
        probe.start();
    });
    QTimer::singleShot(std::min(10, seconds / 3) * 1000, &application, [&] { relay.begin(); });
    application.exec();
    probe.stop();
    const std::int64_t stored = storedSamples(store);
    printFigures(watch, probe, stored, ranks, seconds);
    return stored == std::int64_t{ranks} * kPerSecond * seconds ? 0 : 1;
}
