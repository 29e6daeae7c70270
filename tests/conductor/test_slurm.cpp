// SPDX-License-Identifier: MIT
// The whole way to a real Slurm and back: SSH, relay, jobs, runs, store.
#include "core/base/clock.h"
#include "core/sites/sitebook.h"
#include "core/spec/toml.h"
#include "tests/conductor/conductorfixture.h"
#include "tests/conductor/spoolcompare.h"
#include "tests/relay/democluster.h"
#include "tests/support/lenetexperiment.h"

#include <algorithm>

using namespace ringside;
using namespace ringside::test;
using namespace std::chrono_literals;

namespace {

const std::string kSite = "demo";

/// The conductor of a workstation, and the demo cluster as its site, with a root of its own.
struct Session : ConductorFixture
{
    Session()
        : cluster(DemoCluster::withAccounting())
    {
        if (cluster)
            describe({});
    }

    ~Session()
    {
        conductor.reset();
        if (cluster)
            cluster->on("login", {"scancel", "--user=ringside-demo"});
    }

    void describe(const std::function<void(ringside::Site&)>& change)
    {
        ringside::Site site;
        site.name = site.host = kSite;
        site.sshConfig = cluster->sshConfig();
        site.root = fs::path(DemoCluster::kHome) / thereRoot.filename();
        site.worker = std::string(DemoCluster::kHome) + "/bin/testworker";
        if (change)
            change(site);
        must(SiteBook(folder / "sites").save(site));
    }

    void start()
    {
        ConductorOptions with = options();
        with.sites = folder / "sites";
        conductor = must(WaitingConductor::open(with, sink));
    }

    void launch(const spec::Experiment& what)
    {
        must(conductor->saveExperiment(what));
        LaunchRequest request{what.name};
        request.site = kSite;
        must(conductor->launch(request));
    }

    /// squeue tries for half a minute while its controller is away, and a sign of life grows old in as long.
    bool patiently(const std::function<bool()>& condition)
    {
        for (int tries = 0; tries < 3; ++tries)
            if (sink.waitUntil(condition))
                return true;
        return false;
    }

    bool all(std::size_t count, const std::function<bool(const store::RunRow&)>& holds)
    {
        return patiently([&] {
            return sink.rows.size() == count &&
                   std::ranges::all_of(sink.rows, [&](const auto& row) { return holds(row.second); });
        });
    }

    std::vector<std::string> livingJobs() const
    {
        std::vector<std::string> ids;
        for (const jobs::JobReport& job : cluster->jobs())
            if (job.campaign && !isOver(job.state))
                ids.push_back(job.id);
        return ids;
    }

    /// Returns how often the controller was asked for a user's jobs since its counts were reset.
    int questions() const
    {
        const std::string counts = cluster->on("head", {"sdiag"});
        const auto line = counts.find("REQUEST_JOB_USER_INFO");
        const auto count = line == std::string::npos ? line : counts.find("count:", line);
        return count == std::string::npos ? 0 : std::atoi(counts.c_str() + count + 6);
    }

    DemoCluster* cluster;
    fs::path thereRoot = cluster ? cluster->home() / randomUuid().substr(0, 8) : fs::path();
    RecordingSink sink;
    std::unique_ptr<WaitingConductor> conductor;
};

bool isDone(const store::RunRow& run)
{
    return run.state == RunState::done && run.attempt == 1;
}

/// Returns whether the run's reason is this state and word of its job in Slurm.
bool isOfJob(const store::RunRow& run, std::string_view state, std::string_view word = {})
{
    const Reason reason = run.reason.value_or(Reason());
    return reason.code == why::kJob && reason.word("scheduler") == "slurm" && !reason.word("job").empty() &&
           reason.word("state") == state && (word.empty() || reason.word("word") == word);
}

void holdJobs(ringside::Site& site)
{
    site.job.extraLines = {"--hold"};
}

} // namespace

TEST_CASE_FIXTURE(
    Session, "each run a job of its own: asked about together, taken back together, and only what is missing is done")
{
    if (!cluster)
        return;
    describe([](ringside::Site& site) {
        site.jobPerRun = true;
        holdJobs(site);
    });
    start();
    launch(experiment("[1, 2]", 4, 10));
    const auto isHeld = [](const store::RunRow& run) {
        return run.state == RunState::queued && isOfJob(run, "pending", "JobHeldUser");
    };
    REQUIRE(all(8, isHeld));
    CHECK(livingJobs().size() == 8);
    cluster->on("head", {"sdiag", "--reset"});
    const std::int64_t beginNs = monotonicNs();
    int asked = 0;
    CHECK(eventually(60s, [&] {
        asked = questions();
        return asked > 0; // every 30 s where nothing changes
    }));
    CHECK(asked <= (monotonicNs() - beginNs) / 3'000'000'000 + 1); // of all jobs, every 3 s at most

    cluster->on("head", {"scontrol", "release", livingJobs().front()});
    const auto count = [&](RunState state) {
        return std::ranges::count_if(sink.rows, [&](const auto& row) { return row.second.state == state; });
    };
    REQUIRE(patiently([&] { return count(RunState::done) == 1; }));
    must(conductor->control({{Control::Kind::cancel}, "kill"}));
    REQUIRE(patiently([&] { return count(RunState::cancelled) == 7; }));
    CHECK(count(RunState::done) == 1);
    CHECK(eventually(std::chrono::milliseconds(30'000), [&] { return livingJobs().empty(); }));

    conductor.reset();
    describe([](ringside::Site& site) { site.jobPerRun = true; });
    start();
    launch(experiment("[1, 2]", 4, 10));
    REQUIRE(all(8, isDone));
    must(conductor->collect());
    CHECK(requireStoreEqualsSpools(options().store, thereRoot) == 4 * 10 + 4 * 2 * 10);
}

TEST_CASE_FIXTURE(Session,
                  "while Slurm is silent what waits is unknown since then; what a person ends there is not begun again")
{
    if (!cluster)
        return;
    describe(holdJobs);
    start();
    launch(experiment("[1]", 2, 10));
    REQUIRE(all(2, [](const store::RunRow& run) { return run.state == RunState::queued && run.reason; }));
    const std::int64_t beganNs = wallNs();
    REQUIRE(cluster->control({"stop", "slurmctld"}));
    const bool isUnknown = all(2, [&](const store::RunRow& run) {
        return run.state == RunState::unknown && run.since > beganNs - 120'000'000'000 && run.reason &&
               run.reason->code == why::kSchedulerSilent && run.reason->word("scheduler") == "slurm" &&
               !run.reason->word("said").empty();
    });
    REQUIRE(cluster->control({"start", "slurmctld"}));
    CHECK(isUnknown);
    CHECK(all(2, [](const store::RunRow& run) { return run.state == RunState::queued; }));
    const auto jobs = livingJobs();
    REQUIRE(jobs.size() == 1);
    cluster->on("login", {"scancel", jobs.front()});
    CHECK(all(2, [&](const store::RunRow& run) {
        return run.state == RunState::cancelled && isOfJob(run, "cancelled") && run.reason->word("job") == jobs.front();
    }));
    CHECK(livingJobs().empty());
}

TEST_CASE_FIXTURE(
    Session, "what a job says that ends before any attempt is in the log of its runs, which fail with the job's end")
{
    if (!cluster)
        return;
    describe([](ringside::Site& site) { site.modules = {"no-such-module"}; });
    start();
    launch(experiment("[1]", 2, 10));
    REQUIRE(patiently([&] { return sink.rows.size() == 2; }));
    const RunId run = runs().front().id;
    must(conductor->followLog(run));
    CHECK(patiently([&] {
        return sink.logs[run].find("no-such-module") != std::string::npos ||
               sink.logs[run].find("module: ") != std::string::npos;
    }));
    REQUIRE(all(2, [](const store::RunRow& row) { return row.state == RunState::failed; }));
    for (const store::RunRow& row : runs()) {
        CHECK(row.cause == Cause::runnerLost);
        CHECK(isOfJob(row, "failed"));
    }
}

TEST_CASE_FIXTURE(Session, "a campaign whose turn comes while Slurm is away is submitted when it is back")
{
    if (!cluster)
        return;
    start();
    launch(experiment("[1]", 1, 1'000));
    REQUIRE(patiently([&] { return sink.samples.size() > 10; }));
    launch(must(spec::parseExperiment(lenetExperiment("next", "ranks = [1]", 2, 10))));
    REQUIRE(cluster->control({"stop", "slurmctld"}));
    const auto isPostponed = [](const store::RunRow& run) {
        return run.experiment == "next" && run.state == RunState::queued && run.reason &&
               run.reason->code == why::kError && run.reason->text.ends_with(" It is tried again by itself.");
    };
    const bool isTold = patiently([&] {
        return std::ranges::count_if(sink.rows, [&](const auto& row) { return isPostponed(row.second); }) == 2;
    });
    REQUIRE(cluster->control({"start", "slurmctld"}));
    CHECK(isTold);
    CHECK(all(3, isDone));
}

TEST_CASE_FIXTURE(Session, "a campaign that waits is not submitted below another root than its script names")
{
    if (!cluster)
        return;
    start();
    launch(experiment("[1]", 1, 100'000));
    REQUIRE(patiently([&] { return sink.samples.size() > 10; }));
    launch(must(spec::parseExperiment(lenetExperiment("next", "ranks = [1]", 2, 10))));
    conductor.reset();
    const auto ofNext = [&](const auto& holds) {
        return std::ranges::count_if(sink.rows, [&](const auto& row) {
                   return row.second.experiment == "next" && holds(row.second);
               }) == 2;
    };
    describe([&](ringside::Site& site) { site.root += "-other"; });
    sink.rows.clear();
    start();
    must(conductor->control({{Control::Kind::cancel}, "kill"})); // the one before it lies below the other root
    CHECK(patiently([&] {
        return ofNext([](const store::RunRow& run) {
            return run.state == RunState::queued && run.reason && run.reason->code == why::kError &&
                   run.reason->text.find("was made for the root") != std::string::npos;
        });
    }));
    describe({});
    must(conductor->disconnectSite(kSite));
    must(conductor->prepareSite(kSite));
    CHECK(patiently([&] { return ofNext(isDone); }));
}

TEST_CASE_FIXTURE(Session,
                  "a job that gives way and is ended is submitted again, and its run is done by the next attempt")
{
    if (!cluster)
        return;
    describe([](ringside::Site& site) {
        site.job.qos = "preempt-cancel";
        site.job.exclusive = true;
    });
    start();
    launch(experiment("[1]", 2, 800));
    REQUIRE(
        patiently([&] { return std::ranges::any_of(sink.rows, [](const auto& row) { return isDone(row.second); }); }));
    cluster->asUser({"sbatch", "--nodes=3", "--exclusive", "--output=/dev/null", "--wrap=sleep 1"});
    REQUIRE(all(2, [](const store::RunRow& run) { return run.state == RunState::done; }));
    std::multiset<int> attempts;
    for (const store::RunRow& run : runs())
        attempts.insert(run.attempt);
    CHECK(attempts == std::multiset<int>{1, 2});
}
