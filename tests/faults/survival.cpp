// SPDX-License-Identifier: MIT
// Everything that can go wrong does, at moments that a seed chooses, while ringside-cli runs a campaign on the demo
// cluster. Afterwards the store holds exactly what the spools hold, every run is done, and none was done twice.
//   RINGSIDE_FAULT_COUNT  faults in all (12 if not said: each kind once)
//   RINGSIDE_FAULT_FOLDER where store and words of the app are kept, a folder for each seed; temporary if not said
//   RINGSIDE_FAULT_SEED   seed of the first campaign (1 if not said); each further one has the next
#include "core/base/clock.h"
#include "core/base/environment.h"
#include "tests/conductor/spoolcompare.h"
#include "tests/faults/faults.h"
#include "tests/faults/truth.h"

#include <thread>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

/// In one campaign: more would only kill the same run again and again.
constexpr int kMostFaults = 22;
constexpr milliseconds kCampaignLimit{600'000};
/// Once nothing goes wrong any more.
constexpr milliseconds kLaunchLimit{300'000};
constexpr int kMostLaunches = 8;
constexpr milliseconds kShow{20'000};

int fromEnvironment(const char* name, int otherwise)
{
    const char* value = environment(name);
    return value ? std::atoi(value) : otherwise;
}

/// A campaign among faults, and what has to hold after it.
class Ordeal
{
public:
    Ordeal(const DemoCluster& cluster, std::uint64_t seed)
        : m_cluster(cluster)
        , m_app(cluster, folderFor(seed), seed)
        , m_faults(cluster, m_app, seed)
    {
    }

    void suffer(int most)
    {
        const std::int64_t untilNs = monotonicNs() + toNs(kCampaignLimit);
        for (int done = 0; done < most && !allDone(m_app) && monotonicNs() < untilNs;) {
            m_app.start();
            std::this_thread::sleep_for(milliseconds(200 + m_faults.random(3'000)));
            m_faults.endDue();
            done += m_faults.next();
            m_done.look(m_app);
        }
        m_faults.awaitLongCut();
    }

    /// As a user would: "run" again does what is missing.
    void recover()
    {
        for (int launches = 0; launches < kMostLaunches && !allDone(m_app); ++launches) {
            m_app.start();
            REQUIRE_MESSAGE(ends(), ("ringside-cli has not ended; " + queue()));
            m_done.look(m_app);
        }
        m_faults.endAll();
        REQUIRE_MESSAGE(allDone(m_app), "not every run is done");
        REQUIRE_MESSAGE(ends(), ("ringside-cli has not ended; " + queue())); // it says what it has seen
    }

    void requireTruth()
    {
        CHECK(requireStoreEqualsSpools(m_app.store(), m_app.root()) >= 12 * App::kIterations);
        requireTrueStates(m_app);
        requireNothingLeft(m_cluster);
    }

    const Faults::Counts& counts() const { return m_faults.counts(); }
    const std::string& story() const { return m_faults.story(); }
    std::string lastWords() const { return m_app.lastWords(); }

private:
    fs::path folderFor(std::uint64_t seed) const
    {
        const char* kept = environment("RINGSIDE_FAULT_FOLDER");
        const fs::path folder = kept ? fs::path(kept) / std::to_string(seed) : m_folder.path();
        fs::create_directories(folder);
        return folder;
    }

    bool ends()
    {
        const std::int64_t untilNs = monotonicNs() + toNs(kLaunchLimit);
        while (m_app.runs() && monotonicNs() < untilNs) {
            m_faults.endAll(); // a node may be taken out of service later than the fault that did it
            eventually(kShow, [&] { return !m_app.runs(); });
        }
        return !m_app.runs();
    }

    /// Returns Slurm's queue, for the message of a failure.
    std::string queue() const
    {
        return "jobs and nodes:\n" + m_cluster.on("head", {"squeue", "--all", "-o", "%i %T %r %S %N"}) +
               m_cluster.on("head", {"sinfo", "-N", "-l"});
    }

    TemporaryFolder m_folder;
    const DemoCluster& m_cluster;
    App m_app;
    Faults m_faults;
    DoneRuns m_done;
};

Faults::Counts survive(const DemoCluster& cluster, int seed, int most)
{
    const std::int64_t beganNs = monotonicNs();
    Ordeal ordeal(cluster, static_cast<std::uint64_t>(seed));
    {
        INFO("seed ", seed);
        INFO(ordeal.story());
        INFO(ordeal.lastWords());
        ordeal.suffer(most);
        ordeal.recover();
        ordeal.requireTruth();
    }
    MESSAGE("seed ", seed, ", ", (monotonicNs() - beganNs) / 1'000'000'000, " s:\n", ordeal.story());
    return ordeal.counts();
}

} // namespace

TEST_CASE("what is submitted while the scheduler is away is neither failed nor lost, and handed over once it answers")
{
    const DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    const TemporaryFolder folder;
    App app(*cluster, folder.path(), 1);
    REQUIRE(cluster->control({"stop", "slurmctld"}));
    app.start();
    const bool saidSo = eventually(kLaunchLimit, [&] {
        return !app.runs() || app.lastWords().find("It is tried again by itself.") != std::string::npos;
    });
    REQUIRE(cluster->control({"start", "slurmctld"}));
    CHECK_MESSAGE((saidSo && app.runs()), app.lastWords());
    const auto runs = storedRuns(app);
    CHECK(runs.size() == App::kRuns);
    CHECK(std::ranges::all_of(runs, [](const auto& run) { return run.state == RunState::queued; }));
    CHECK(eventually(kLaunchLimit, [&] {
        return std::ranges::any_of(storedRuns(app), [](const auto& run) { return run.state == RunState::done; });
    }));
    app.kill();
    cluster->on("login", {"scancel", "--user=ringside-demo"});
    requireNothingLeft(*cluster);
}

TEST_CASE("whatever goes wrong between laptop and nodes, nothing is lost, doubled or repeated, and states are true")
{
    const DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    const auto kinds = Faults::kinds(*cluster);
    const int wanted = fromEnvironment("RINGSIDE_FAULT_COUNT", static_cast<int>(kinds.size()));
    Faults::Counts counts;
    int left = wanted;
    for (int seed = fromEnvironment("RINGSIDE_FAULT_SEED", 1); left > 0; ++seed)
        for (const auto& [kind, times] : survive(*cluster, seed, std::min(left, kMostFaults))) {
            counts[kind] += times;
            left -= times;
        }
    for (const std::string& kind : kinds) {
        MESSAGE(kind << ": " << counts[kind] << " times");
        CHECK((counts[kind] > 0 || wanted < static_cast<int>(kinds.size())));
    }
}
