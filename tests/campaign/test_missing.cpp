// SPDX-License-Identifier: MIT
#include "core/campaign/missing.h"

#include <doctest/doctest.h>
#include <set>

using namespace ringside;
using namespace ringside::campaign;

namespace {

KnownRun stored(RunState state, Cause cause = Cause::none)
{
    return {RunId::random(), "a", 1, state, cause, false};
}

bool missing(const KnownRun& run, bool retryFailed = false)
{
    return isMissing(run, retryFailed);
}

} // namespace

TEST_CASE("done runs are not repeated; lost and cancelled ones are; own failures only when asked for")
{
    CHECK(!missing(stored(RunState::done)));
    CHECK(!missing(stored(RunState::done), true));
    for (RunState state :
         {RunState::queued, RunState::requeued, RunState::starting, RunState::running, RunState::cancelled})
        CHECK(missing(stored(state)));
    for (Cause outside : {Cause::lostRank, Cause::runnerLost, Cause::hung, Cause::timeLimit, Cause::launch})
        CHECK(missing(stored(RunState::failed, outside)));
    for (Cause own : {Cause::outOfMemory, Cause::data, Cause::notANumber, Cause::settings, Cause::crashed}) {
        CHECK(!missing(stored(RunState::failed, own)));
        CHECK(missing(stored(RunState::failed, own), true));
    }
}

TEST_CASE("a run that a campaign has in hand is not started twice")
{
    KnownRun run = stored(RunState::running);
    run.inCampaign = true;
    CHECK(!missing(run, true));
}

TEST_CASE("missing runs come in the order of the matrix and keep their ids")
{
    KnownRun failed{RunId::random(), "b", 1, RunState::failed, Cause::lostRank, false};
    KnownRun done{RunId::random(), "a", 1, RunState::done, Cause::none, false};
    KnownRun gone{RunId::random(), "z", 1, RunState::queued, Cause::none, false};
    const auto found = missingRuns({{"a", 1}, {"b", 1}, {"a", 2}, {"b", 2}}, {failed, done, gone}, false);
    CHECK(found == std::vector<MissingRun>{{1, failed.id}, {2, std::nullopt}, {3, std::nullopt}});
}

TEST_CASE("a seed follows from experiment and repeat alone, and differs between them")
{
    std::set<std::uint64_t> seeds;
    for (std::uint64_t seed : {0u, 1u, 2u})
        for (int repeat = 1; repeat <= 100; ++repeat) {
            seeds.insert(seedOf(seed, repeat));
            CHECK(seedOf(seed, repeat) == seedOf(seed, repeat));
            CHECK(seedOf(seed, repeat) < (1ull << 63));
        }
    CHECK(seeds.size() == 300);
}
