// SPDX-License-Identifier: MIT
// A rank or a server of the real worker is killed or stopped while it aggregates by each plan: the others end, the
// attempt has failed with the victim and its host named, and what was measured is kept.
//   RINGSIDE_FAULT_SEED    chooses victims and moments (1 if not said)
//   RINGSIDE_FAULT_ROUNDS  how often plans are gone through (1 if not said), with the other signal every time
//   RINGSIDE_FAULT_SCALE   by which share of the limits that users have (0.25 if not said)
#include "agent/worker/calibrate/coldfile.h"
#include "core/base/clock.h"
#include "core/spec/plans.h"
#include "tests/runner/campaignfixture.h"
#include "tests/support/built.h"

#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <random>
#include <set>
#include <thread>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kStart{60'000}; // of a worker on a machine that does other things, too
constexpr milliseconds kEnd{30'000};   // what a user may wait
constexpr double kTimeScale = 0.25; // 5 s of silence: a busy machine keeps a healthy rank from its heartbeat that long
constexpr milliseconds kSlack{15'000}; // of scaled limits: processes end no faster, and a machine has more to do
constexpr int kRanks = 2, kShort = 30, kLong = 1'000'000;

int fromEnvironment(const char* name, int otherwise)
{
    const char* value = std::getenv(name);
    return value ? std::atoi(value) : otherwise;
}

double scaleFromEnvironment()
{
    const char* value = std::getenv("RINGSIDE_FAULT_SCALE");
    return value ? std::atof(value) : kTimeScale;
}

/// The tests' main switches canaries off.
struct WithCanaries
{
    WithCanaries() { unsetenv("RINGSIDE_CANARY"); }
    ~WithCanaries() { setenv("RINGSIDE_CANARY", "none", 1); }
};

/// Some systems aggregate in the same way.
bool isAmong(const std::vector<AggregationPlan>& plans, AggregationPlan plan)
{
    return std::ranges::any_of(plans, [&](const AggregationPlan& known) {
        plan.name = known.name;
        return plan == known;
    });
}

/// Presets, what they leave out of collectives and schedules, and servers that do not wait for all.
std::vector<AggregationPlan> allPlans()
{
    std::vector<AggregationPlan> plans;
    std::set<Collective> known{Collective::none};
    for (const spec::BuiltInPlan& preset : spec::builtInPlans())
        if (preset.plan.collective != Collective::none && !isAmong(plans, preset.plan)) {
            plans.push_back(preset.plan);
            known.insert(preset.plan.collective);
        }
    for (const Collective collective : kCollectives)
        for (const Schedule schedule : {Schedule::overlapped, Schedule::priority}) {
            AggregationPlan plan = spec::findBuiltInPlan(spec::kStandardPlan)->plan;
            plan.collective = collective;
            plan.schedule = schedule;
            plan.name = fmt::format("{}-{}", nameOf(collective), nameOf(schedule));
            if (!known.contains(collective) && !whyNotComposed(plan))
                plans.push_back(plan);
        }
    AggregationPlan loose = spec::findBuiltInPlan("tensorflow-ps")->plan;
    loose.asynchronous = true;
    loose.servers = 2;
    loose.name = "asynchronous";
    plans.push_back(loose);
    return plans;
}

/// Those that bring a collective, a schedule, or servers that do not wait, which none before has.
std::vector<AggregationPlan> ofEachKind(const std::vector<AggregationPlan>& plans)
{
    std::set<Collective> collectives;
    std::set<Schedule> schedules;
    std::vector<AggregationPlan> chosen;
    for (const AggregationPlan& plan : plans) {
        const bool isNewCollective = collectives.insert(plan.collective).second;
        const bool isNewSchedule = schedules.insert(plan.schedule).second;
        if (isNewCollective || isNewSchedule || plan.asynchronous)
            chosen.push_back(plan);
    }
    return chosen;
}

RunSpec lenet(const AggregationPlan& plan, int iterations)
{
    RunSpec run = makeRun(kRanks, iterations);
    run.settings["model"] = std::string("lenet");
    run.settings["image_size"] = std::int64_t{32};
    run.settings["batch_per_rank"] = std::int64_t{4};
    run.settings["data"] = std::string("synthetic");
    run.plan = plan;
    run.roles = rolesOf(plan);
    return run;
}

enum class Moment
{
    start, ///< before the first sample
    training,
    canaryBefore, ///< training
    canaryAfter
};

struct Fault
{
    int signal = SIGKILL;
    int victim = 0; ///< rank, or server
    Moment moment = Moment::training;
    milliseconds after{};

    bool isEarly() const { return moment == Moment::start || moment == Moment::canaryBefore; }
};

Fault chooseFault(std::mt19937_64& random, int signal, int processes)
{
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
    const int victim = below(processes);
    const Moment moment = below(4) == 0 ? Moment::start : Moment::training;
    return {signal, victim, moment, milliseconds(below(1'500))};
}

std::size_t samplesOf(const Campaign& campaign, std::size_t run)
{
    std::size_t samples = 0;
    for (int rank = 0; rank < kRanks; ++rank)
        for (const Record& record : readSpool(layout::spoolFile(campaign.attempt(run), rank)))
            samples += std::holds_alternative<Sample>(record) ? 1 : 0;
    return samples;
}

bool allRun(const Campaign& campaign, std::size_t run)
{
    const auto pids = campaign.ranksThatRun(run);
    return std::ranges::all_of(pids, [](pid_t pid) { return pid > 0; });
}

/// A canary reads a file for about half a second, by a rank of each node.
bool readsForCanary(pid_t rank)
{
    std::error_code gone;
    for (const auto& file : fs::directory_iterator(fmt::format("/proc/{}/fd", rank), gone))
        if (fs::read_symlink(file.path(), gone).filename() == kColdFileName)
            return true;
    return false;
}

/// Waits for it.
bool comes(const Campaign& campaign, std::size_t run, const Fault& fault)
{
    const auto hasTrained = [&] { return samplesOf(campaign, run) > 0; };
    const auto looks = [&] { return readsForCanary(campaign.ranksThatRun(run).front()); };
    switch (fault.moment) {
    case Moment::start:
        break;
    case Moment::training:
        return eventually(kStart, hasTrained);
    case Moment::canaryBefore:
        return eventually(kStart, looks);
    case Moment::canaryAfter:
        return eventually(kStart, [&] { return looks() && hasTrained(); });
    }
    return true;
}

/// Returns the time that the runner may take by limits of this scale. At their own scale it has nothing to spare.
milliseconds limitAt(double timeScale)
{
    const auto scaled = std::chrono::duration_cast<milliseconds>(kEnd * timeScale);
    return timeScale < 1 ? scaled + kSlack : scaled;
}

/// Lets it happen to this run, and looks at how the run ends. Returns false if its moment was over: a busy machine may
/// have passed over a canary.
bool strike(const Campaign& campaign, std::size_t index, const Fault& fault, milliseconds limit)
{
    CAPTURE(campaign.run(index).plan.name);
    CAPTURE(fault.signal);
    CAPTURE(fault.victim);
    CAPTURE(static_cast<int>(fault.moment));
    REQUIRE(eventually(kStart, [&] { return allRun(campaign, index); }));
    REQUIRE(comes(campaign, index, fault));
    std::this_thread::sleep_for(fault.after);
    const std::size_t before = samplesOf(campaign, index);
    const std::int64_t atNs = monotonicNs();
    ::kill(campaign.ranks(index).at(static_cast<std::size_t>(fault.victim)), fault.signal);
    REQUIRE(eventually(limit, [&] { return !campaign.endsOf(index).empty(); }));
    MESSAGE(campaign.run(index).plan.name, ": signal ", fault.signal, " to ", fault.victim, " ended it after ",
            (monotonicNs() - atNs) / 1'000'000, " ms");
    const JournalEvent end = campaign.endsOf(index).front();
    CAPTURE(toText(end.reason));
    CHECK(end.state == RunState::failed);
    CHECK(end.cause == Cause::lostRank);
    CHECK(end.rank == fault.victim);
    CHECK_FALSE(end.host.empty());
    CHECK_FALSE(end.reason.empty());
    CHECK(samplesOf(campaign, index) >= before);
    CHECK((fault.isEarly() || before > 0));
    CHECK(processesWith(campaign.run(index).id.str()).empty());
    return fault.moment != Moment::canaryBefore || before == 0;
}

using PlannedFault = std::pair<AggregationPlan, Fault>;

/// One run after the other. Returns those whose moment was over.
std::vector<PlannedFault> strikeDuringCanaries(const std::vector<PlannedFault>& faults)
{
    std::vector<RunSpec> runs;
    for (const auto& [plan, fault] : faults)
        runs.push_back(lenet(plan, kShort));
    const Campaign campaign(runs, {}, "mpirun", builtProgram("ringside-worker"));
    Process runner = campaign.startRunner(kTimeScale);
    std::vector<PlannedFault> missed;
    for (std::size_t i = 0; i < faults.size(); ++i)
        if (!strike(campaign, i, faults[i].second, limitAt(kTimeScale)))
            missed.push_back(faults[i]);
    CHECK(runner.wait(kStart) == 0);
    return missed;
}

/// One run after the other, each by a fault of its own; one that comes after them is done.
void strikeUnderEach(const std::vector<AggregationPlan>& plans)
{
    std::mt19937_64 random(static_cast<std::uint64_t>(fromEnvironment("RINGSIDE_FAULT_SEED", 1)));
    const double scale = scaleFromEnvironment();
    std::vector<RunSpec> runs;
    std::ranges::transform(plans, std::back_inserter(runs), [](const auto& plan) { return lenet(plan, kLong); });
    runs.push_back(lenet(plans.front(), 3));
    for (int round = 0; round < fromEnvironment("RINGSIDE_FAULT_ROUNDS", 1); ++round) {
        for (RunSpec& run : runs)
            run.id = RunId::random();
        Campaign campaign(runs, {}, "mpirun", builtProgram("ringside-worker"));
        Process runner = campaign.startRunner(scale);
        for (std::size_t i = 0; i < plans.size(); ++i)
            strike(campaign, i,
                   chooseFault(random, (i + std::size_t(round)) % 2 ? SIGSTOP : SIGKILL, runs[i].processes()),
                   limitAt(scale));
        CHECK(runner.wait(kStart) == 0);
        CHECK(campaign.endsOf(plans.size()).at(0).state == RunState::done);
    }
}

} // namespace

TEST_CASE("runs without a fault are done")
{
    const AggregationPlan standard = spec::findBuiltInPlan(spec::kStandardPlan)->plan;
    const AggregationPlan served = spec::findBuiltInPlan("tensorflow-ps")->plan;
    const std::vector<RunSpec> runs{lenet(standard, 3), lenet(standard, 3), lenet(served, 3), lenet(served, 3)};
    Campaign campaign(runs, {}, "mpirun", builtProgram("ringside-worker"));
    CHECK(campaign.startRunner(kTimeScale).wait(kStart) == 0);
    for (std::size_t i = 0; i < runs.size(); ++i)
        CHECK(campaign.endsOf(i).at(0).state == RunState::done);
}

TEST_CASE("a rank that is stopped ends its attempt within 30 s by the limits that users have")
{
    Campaign campaign({lenet(spec::findBuiltInPlan(spec::kStandardPlan)->plan, kLong)}, {}, "mpirun",
                      builtProgram("ringside-worker"));
    Process runner = campaign.startRunner(1);
    strike(campaign, 0, {SIGSTOP, 1}, limitAt(1));
    CHECK(runner.wait(kStart) == 0);
}

TEST_CASE("so do ranks that were started without MPI, killed or stopped, by a quarter of these limits")
{
    const AggregationPlan standard = spec::findBuiltInPlan(spec::kStandardPlan)->plan;
    const AggregationPlan served = spec::findBuiltInPlan("tensorflow-ps")->plan;
    Campaign campaign({lenet(standard, kLong), lenet(standard, kLong), lenet(served, kLong), lenet(served, kLong),
                       lenet(standard, 3)},
                      {}, "direct", builtProgram("ringside-worker"));
    Process runner = campaign.startRunner(kTimeScale);
    strike(campaign, 0, {SIGKILL, 0}, limitAt(kTimeScale));
    strike(campaign, 1, {SIGSTOP, 1}, limitAt(kTimeScale));
    const int server = campaign.run(2).ranks();
    strike(campaign, 2, {SIGSTOP, server}, limitAt(kTimeScale));
    strike(campaign, 3, {SIGKILL, server}, limitAt(kTimeScale));
    CHECK(runner.wait(kStart) == 0);
    CHECK(campaign.endsOf(4).at(0).state == RunState::done);
}

TEST_CASE("so does one that is killed or stopped while the canary looks at the machine, before training or after it")
{
    const WithCanaries canaries;
    const AggregationPlan standard = spec::findBuiltInPlan(spec::kStandardPlan)->plan;
    const AggregationPlan served = spec::findBuiltInPlan("tensorflow-ps")->plan;
    std::vector<PlannedFault> faults{
        {standard, {SIGKILL, 0, Moment::canaryBefore}},    {standard, {SIGSTOP, 1, Moment::canaryBefore}},
        {standard, {SIGSTOP, 0, Moment::canaryAfter}},     {standard, {SIGKILL, 1, Moment::canaryAfter}},
        {served, {SIGKILL, kRanks, Moment::canaryBefore}}, {served, {SIGSTOP, 1, Moment::canaryAfter}}};
    for (int round = 0; round < 3 && !faults.empty(); ++round)
        faults = strikeDuringCanaries(faults);
    CHECK(faults.empty());
}

TEST_CASE("by a quarter of them a rank or server that is killed or stopped ends it in time, whatever exchanges")
{
    strikeUnderEach(ofEachKind(allPlans()));
}

TEST_SUITE("thorough")
{
    TEST_CASE("a rank or server that is killed or stopped ends it in time under every plan")
    {
        strikeUnderEach(allPlans());
    }
}
