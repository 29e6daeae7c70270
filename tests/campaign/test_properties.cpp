// SPDX-License-Identifier: MIT
// Whatever order a lost connection makes of the events, and however often it repeats them: the same end.
#include "core/campaign/campaign.h"
#include "tests/support/seeds.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <random>
#include <utility>

using namespace ringside;
using namespace ringside::campaign;

namespace {

using Random = std::mt19937_64;

struct World
{
    State state;
    std::vector<JournalEvent> journal; ///< as a runner would write it
    std::map<RunId, RunProgress> end;  ///< what it amounts to
    std::map<RunId, RunProgress> kept; ///< what the actions had us write down
    std::vector<Stage> stages;         ///< in the order in which they were written down
    bool asks = false;                 ///< the site's word is waited for
    bool follows = false;              ///< the site was asked to send what is new
    bool listens = false;              ///< it was asked so on the line that stands now: else no journal would come

    void take(const Event& event)
    {
        if (std::holds_alternative<Disconnected>(event))
            listens = false;
        for (const Action& action : step(state, event)) {
            listens = listens || std::holds_alternative<Follow>(action);
            asks = asks || std::holds_alternative<AskStatus>(action);
            follows = follows || std::holds_alternative<Follow>(action);
            if (const auto* stage = std::get_if<SaveStage>(&action))
                stages.push_back(stage->stage);
            if (const auto* run = std::get_if<SaveRun>(&action))
                kept[run->change.run] = {
                    run->change.state, std::max(run->change.attempt, kept[run->change.run].attempt), run->change.cause};
            if (std::holds_alternative<Submit>(action))
                REQUIRE((!stages.empty() && stages.back() == Stage::submitting)); // written down first
        }
    }

    /// Another program with the same store: it knows what was written down, and reads on where this one stopped.
    void restart()
    {
        State stored;
        stored.stage = stages.back();
        for (const auto& [id, run] : state.runs)
            stored.runs.emplace(id, kept.contains(id) ? kept.at(id) : RunProgress{});
        state = std::move(stored);
        listens = false;
        take(Connected{});
    }

    /// The site's answers, as long as there are questions; its runner has ended and its journal has been read.
    void settle()
    {
        for (int answers = 0; answers < 10 && (asks || follows); ++answers) {
            if (std::exchange(asks, false))
                take(Reported{Reported::Standing::ended, 0});
            if (std::exchange(follows, false))
                take(CaughtUp{false, 0});
        }
    }
};

JournalEvent line(JournalKind kind, const RunId& run, int attempt, RunState state = RunState::unknown,
                  Cause cause = Cause::none)
{
    JournalEvent event;
    event.kind = kind;
    event.run = run;
    event.attempt = attempt;
    event.state = state;
    event.cause = cause;
    return event;
}

void journalRun(World& world, Random& random, const RunId& run)
{
    const int attempts = 1 + static_cast<int>(random() % 3);
    for (int attempt = 1; attempt <= attempts; ++attempt) {
        const bool last = attempt == attempts;
        const RunState end = !last ? RunState::requeued : random() % 4 == 0 ? RunState::failed : RunState::done;
        const Cause cause = end == RunState::done     ? Cause::none
                            : end == RunState::failed ? Cause::data
                                                      : Cause::runnerLost;
        world.journal.push_back(line(JournalKind::attemptStarted, run, attempt));
        world.journal.push_back(line(JournalKind::attemptEnded, run, attempt, end, cause));
        world.end[run] = {end, attempt, cause, false};
    }
}

World worldOf(Random& random)
{
    World world;
    world.journal.push_back({JournalKind::runnerStarted, 0, {}, 0, RunState::unknown, Cause::none, {}, {}, {}, 1});
    for (std::size_t run = 0; run < 1 + random() % 5; ++run) {
        const RunId id = RunId::random();
        world.state.runs.emplace(id, RunProgress{});
        journalRun(world, random, id);
    }
    world.journal.push_back({JournalKind::runnerEnded, 0, {}, 0, RunState::done, Cause::none, {}, {}, {}, 1});
    return world;
}

/// Events between two lines of the journal: connections come and go, samples come early, late or twice.
void disturb(World& world, Random& random)
{
    auto run = std::next(world.state.runs.begin(), static_cast<long>(random() % world.state.runs.size()));
    switch (random() % 10) {
    case 0:
        world.take(Disconnected{1});
        world.take(Connected{});
        world.take(Accepted{"job"});
        world.take(Reported{Reported::Standing::alive, 0});
        break;
    case 1: // only for attempts that the journal has spoken of: a sample is never ahead of its attempt's number
        world.take(SamplesSeen{run->first, std::max(1, run->second.attempt), 0});
        break;
    case 2:
        world.take(Accepted{"job"});
        break;
    case 3:
        world.take(CaughtUp{true, 0});
        break;
    case 4:
        world.take(Ticked{});
        break;
    case 5:
        world.take(Chosen{});
        break;
    case 6:
        world.restart();
        world.take(Reported{Reported::Standing::alive, 0});
        break;
    case 7: // no runner is seen, as while a job waits in a queue
        world.take(CaughtUp{false, 0});
        world.take(Reported{Reported::Standing::alive, 0, because(why::kJob, {{"job", "4"}, {"state", "pending"}})});
        break;
    default:
        break;
    }
}

} // namespace

TEST_CASE("any order of connections and any replay of the journal come to the same end")
{
    for (const auto seed : test::seeds(1, 2'000)) {
        CAPTURE(seed);
        Random random(seed);
        World world = worldOf(random);
        world.take(Connected{});
        world.take(Chosen{});
        world.take(Accepted{"job"});
        std::size_t read = 0;
        while (read < world.journal.size()) {
            disturb(world, random);
            REQUIRE(world.listens);
            if (random() % 10 == 0)
                read -= std::min<std::size_t>(read, random() % 4); // the cursor was not stored: lines come again
            world.take(Journalled{world.journal[read++]});
        }
        if (random() % 2 == 0)
            world.restart(); // with nothing left to read that would say that the runner has ended
        world.settle();
        CHECK(world.state.stage == Stage::ended);
        CHECK(std::ranges::count(world.stages, Stage::ended) == 1);
        CHECK(std::ranges::count(world.stages, Stage::submitting) == 1);
        CHECK(world.state.runs == world.end);
        CHECK(world.kept == world.end);
    }
}

TEST_CASE("after the end nothing is asked for any more")
{
    for (const auto seed : test::seeds(1, 200)) {
        CAPTURE(seed);
        Random random(seed);
        World world = worldOf(random);
        world.take(Asked{{Control::Kind::cancel}, 0});
        REQUIRE(world.state.stage == Stage::ended);
        const State before = world.state;
        for (const JournalEvent& event : world.journal)
            if (!event.run)
                world.take(Journalled{event});
        for (const Event& event : std::initializer_list<Event>{
                 Chosen{}, Accepted{"x"}, Reported{}, Ticked{}, CaughtUp{}, Asked{{Control::Kind::hold}, 0},
                 Asked{{Control::Kind::cancel}, 0}, Asked{{Control::Kind::cancelWaiting}, 0}, Refused{}})
            CHECK(step(world.state, event).empty());
        CHECK(world.state.runs == before.runs);
    }
}
