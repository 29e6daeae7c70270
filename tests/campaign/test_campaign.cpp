// SPDX-License-Identifier: MIT
#include "tests/campaign/fixture.h"

using namespace ringside;
using namespace ringside::campaign;

namespace {

Reason endOfJob(const char* state)
{
    return because(why::kJob, {{"job", "1"}, {"state", state}});
}

} // namespace

TEST_CASE_FIXTURE(Fixture, "submitting is written down before anything is sent")
{
    on(Connected{});
    CHECK(on(Chosen{}) == std::vector<Action>{SaveStage{Stage::submitting, ""}, Submit{}});
    CHECK(on(Accepted{"4711"}) == std::vector<Action>{SaveStage{Stage::submitted, "4711"}, Follow{}, kProceed});
    CHECK(on(Accepted{"4711"}).empty());
}

TEST_CASE_FIXTURE(Fixture, "a submission whose answer was lost is made again, a following one goes on")
{
    on(Connected{});
    on(Chosen{});
    CHECK(on(Disconnected{5}) == std::vector<Action>{SaveContact{5}});
    CHECK(on(Connected{}) == std::vector<Action>{Submit{}});
    CHECK(countOf<SaveContact>(on(Accepted{"1"})) == 1);
    on(Disconnected{6});
    CHECK(on(Disconnected{9}).empty());
    CHECK(on(Connected{}) == std::vector<Action>{AskStatus{}}); // how it stands is not known yet
    CHECK(on(Reported{Reported::Standing::alive, 0}) ==
          std::vector<Action>{SaveContact{std::nullopt}, Follow{}, kProceed});
}

TEST_CASE_FIXTURE(Fixture, "runs follow the journal, and samples that come before it")
{
    submit();
    const auto running = on(SamplesSeen{first, 1, 3});
    REQUIRE(running.size() == 1);
    CHECK(std::get<SaveRun>(running[0]).change.state == RunState::running);
    CHECK(on(started(first, 1)).empty());
    CHECK(on(ended(first, 1, RunState::requeued, Cause::runnerLost)).size() == 1);
    CHECK(on(SamplesSeen{first, 1, 4}).empty());
    on(started(first, 2));
    CHECK(state.runs[first].state == RunState::starting);
    CHECK(state.runs[first].attempt == 2);
    on(ended(first, 2, RunState::done));
    CHECK(on(ended(first, 2, RunState::done)).empty());
    CHECK(on(ended(first, 1, RunState::failed)).empty());
    CHECK(state.runs[first].state == RunState::done);
}

TEST_CASE_FIXTURE(Fixture, "a campaign ends when its runner has ended and all is read")
{
    submit();
    on(ended(first, 1, RunState::done));
    on(ended(second, 1, RunState::done));
    on(journalled(JournalKind::runnerEnded));
    CHECK(on(CaughtUp{true, 0}).empty());
    CHECK(on(CaughtUp{false, 0}) == std::vector<Action>{SaveStage{Stage::ended, ""}});
}

TEST_CASE_FIXTURE(Fixture, "that the site says it has ended is enough, but only once all is read")
{
    submit();
    on(Disconnected{1});
    on(Connected{});
    CHECK(on(Reported{Reported::Standing::ended, 2}) ==
          std::vector<Action>{SaveContact{std::nullopt}, Follow{}, kProceed});
    CHECK(state.stage == Stage::submitted);
    on(ended(first, 1, RunState::done));
    on(ended(second, 1, RunState::done));
    CHECK(on(CaughtUp{false, 3}) == std::vector<Action>{SaveStage{Stage::ended, ""}});
}

TEST_CASE_FIXTURE(Fixture, "a dead runner is succeeded, but not for ever; then its runs are lost from outside")
{
    submit();
    on(started(first, 1));
    for (int life = 0; life < kMaxSuccessors; ++life) {
        CHECK(on(CaughtUp{false, 0}) == std::vector<Action>{AskStatus{}});
        CHECK(on(Reported{Reported::Standing::lost, 0}) ==
              std::vector<Action>{SaveStage{Stage::submitting, ""}, Submit{}});
        on(Accepted{"next"});
    }
    on(CaughtUp{false, 0});
    for (int look = 0; look < kLastLooks; ++look) { // its ranks may still write
        CHECK(on(Reported{Reported::Standing::lost, 0}).empty());
        CHECK(state.stage == Stage::submitted);
        on(SamplesSeen{first, 1, 0});
        CHECK(on(Ticked{}) == std::vector<Action>{AskStatus{}});
    }
    CHECK(state.runs[first].state == RunState::running);
    const auto given = on(Reported{Reported::Standing::lost, 0});
    CHECK(countOf<SaveRun>(given) == 2);
    CHECK(state.stage == Stage::ended);
    for (const auto& [id, run] : state.runs) {
        CHECK(run.state == RunState::failed);
        CHECK(isFromOutside(run.cause));
    }
    CHECK(std::get<SaveRun>(given[0]).change.reason == because(why::kRunnerLost));
}

TEST_CASE_FIXTURE(Fixture, "what the ranks of a cancelled campaign still write is read after the death of its runner")
{
    submit();
    on(started(first, 1));
    on(Asked{{Control::Kind::cancel}, 0});
    on(CaughtUp{false, 0});
    for (int look = 0; look < kLastLooks; ++look) {
        CHECK(on(Reported{Reported::Standing::lost, 0}).empty());
        on(SamplesSeen{first, 1, 0});
        CHECK(on(Ticked{}) == std::vector<Action>{AskStatus{}});
    }
    CHECK(state.runs[first].state == RunState::running);
    CHECK(countOf<SaveRun>(on(Reported{Reported::Standing::lost, 0})) == 2);
    CHECK(state.stage == Stage::ended);
    CHECK(state.runs[first].state == RunState::cancelled);
}

TEST_CASE_FIXTURE(Fixture, "runners that each end for want of room leave the disk as the reason")
{
    submit();
    const Reason full = because(why::kNoSpace, {{"folder", "/tmp"}});
    std::vector<Action> given;
    for (int life = 0; life <= kMaxSuccessors; ++life) {
        on(started(first, life + 1));
        Journalled end = ended(first, life + 1, RunState::requeued, Cause::launch);
        end.event.reason = full;
        on(end);
        on(CaughtUp{false, 0});
        given = on(Reported{Reported::Standing::lost, 0});
        on(Accepted{"next"});
    }
    CHECK(state.stage == Stage::ended);
    REQUIRE(countOf<SaveRun>(given) == 2);
    CHECK(std::get<SaveRun>(given[0]).change.reason == full);
}

TEST_CASE_FIXTURE(Fixture, "a successor that could not be written down is none, and is tried again after a while")
{
    submit();
    on(started(first, 1));
    const Reported lost{Reported::Standing::lost, 0};
    for (int refused = 0; refused <= kMaxSuccessors; ++refused) {
        on(CaughtUp{false, 0});
        CHECK(on(lost) == std::vector<Action>{SaveStage{Stage::submitting, ""}, Submit{}});
        CHECK(on(Unsaved{Stage::submitted}).empty()); // nor is it submitted
        REQUIRE(state.stage == Stage::submitted);
        for (int tick = 1; tick < kPostponedTicks; ++tick)
            CHECK(on(Ticked{}).empty());
        CHECK(on(Ticked{}) == std::vector<Action>{AskStatus{}});
    }
    CHECK(countOf<Submit>(on(lost)) == 1);
}

TEST_CASE_FIXTURE(Fixture, "a job that a person ended is not begun again; one that gave way is, however often")
{
    submit();
    on(started(first, 1));
    for (int life = 0; life <= kMaxSuccessors; ++life) {
        on(CaughtUp{false, 0});
        const auto again = on(Reported{Reported::Standing::lost, 0, endOfJob("preempted"), JobState::preempted});
        REQUIRE(countOf<Submit>(again) == 1);
        on(Accepted{"next"});
    }
    on(CaughtUp{false, 0});
    const auto last = on(Reported{Reported::Standing::lost, 0, endOfJob("cancelled"), JobState::cancelled});
    CHECK(countOf<Submit>(last) == 0);
    CHECK(std::get<SaveRun>(last[0]).change.reason == endOfJob("cancelled"));
    CHECK(state.stage == Stage::ended);
    for (const auto& [id, run] : state.runs)
        CHECK(run.state == RunState::cancelled);
}

TEST_CASE_FIXTURE(Fixture, "a job whose time is over is not begun again")
{
    submit();
    on(started(first, 1));
    on(CaughtUp{false, 0});
    const auto last = on(Reported{Reported::Standing::lost, 0, endOfJob("timeout"), JobState::timeout});
    CHECK(countOf<Submit>(last) == 0);
    CHECK(std::get<SaveRun>(last[0]).change.reason == endOfJob("timeout"));
    CHECK(state.stage == Stage::ended);
    for (const auto& [id, run] : state.runs)
        CHECK(run.cause == Cause::timeLimit);
}

TEST_CASE_FIXTURE(Fixture, "a dead runner has no successor while its campaign is held, and one once it is continued")
{
    submit();
    on(started(first, 1));
    on(Asked{{Control::Kind::hold}, 0});
    on(CaughtUp{false, 0});
    const Reported lost{Reported::Standing::lost, 0};
    for (int look = 0; look <= kMaxSuccessors; ++look) {
        CHECK(countOf<Submit>(on(lost)) == 0);
        CHECK(state.stage == Stage::submitted);
        CHECK(on(Ticked{}) == std::vector<Action>{AskStatus{}});
    }
    on(Asked{{Control::Kind::proceed}, 0});
    CHECK(countOf<Submit>(on(lost)) == 1);
}

TEST_CASE_FIXTURE(Fixture, "a campaign whose runner died and whose runs are all cancelled ends, held or not")
{
    submit();
    on(started(first, 1));
    const Reported lost{Reported::Standing::lost, 0};
    const auto cancelBoth = [this] {
        for (const RunId& run : {first, second})
            on(Asked{{Control::Kind::cancelRun, run}, 0});
    };
    SUBCASE("held, and cancelled before it is lost")
    {
        on(Asked{{Control::Kind::hold}, 0});
        cancelBoth();
        on(CaughtUp{false, 0});
    }
    SUBCASE("held, and cancelled afterwards")
    {
        on(Asked{{Control::Kind::hold}, 0});
        on(CaughtUp{false, 0});
        on(lost);
        cancelBoth();
        REQUIRE(on(Ticked{}) == std::vector<Action>{AskStatus{}});
    }
    SUBCASE("not held")
    {
        cancelBoth();
        on(CaughtUp{false, 0});
    }
    SUBCASE("one has its end")
    {
        on(ended(first, 1, RunState::done));
        on(Asked{{Control::Kind::cancelRun, second}, 0});
        on(CaughtUp{false, 0});
    }
    CHECK(countOf<Submit>(endAfterLooks(lost)) == 0);
    CHECK(state.stage == Stage::ended);
    CHECK(state.runs[second].state == RunState::cancelled);
    CHECK(isFinal(state.runs[first].state));
}

TEST_CASE_FIXTURE(Fixture, "a job that ends for want of memory fails what ran so, and leaves the rest to be launched")
{
    submit();
    on(started(first, 1));
    on(CaughtUp{false, 0});
    on(Reported{Reported::Standing::lost, 0, endOfJob("out_of_memory"), JobState::outOfMemory});
    CHECK(state.stage == Stage::ended);
    CHECK(state.runs[first].cause == Cause::outOfMemory);
    CHECK(isFromOutside(state.runs[second].cause));
}

TEST_CASE_FIXTURE(Fixture, "a waiting campaign says why, and one without news is unknown since the last news")
{
    submit();
    on(CaughtUp{false, 0});
    const Reported waits{Reported::Standing::alive, 0, kWaitsForNodes};
    CHECK(on(waits) == std::vector<Action>{SaveContact{std::nullopt, kWaitsForNodes}});
    CHECK(on(waits).empty());
    const Reason isAway = because(why::kSchedulerSilent, {{"scheduler", "slurm"}});
    const Reported silent{Reported::Standing::silent, 9, isAway, JobState::unknown, 5};
    CHECK(on(silent) == std::vector<Action>{SaveContact{5, isAway}});
    CHECK(on(Ticked{}) == std::vector<Action>{AskStatus{}});
    on(Disconnected{20});
    CHECK(state.contactLostAt == 5);
    on(Connected{});
    CHECK(state.contactLostAt == 5);
    CHECK(on(CaughtUp{true, 0}) == std::vector<Action>{SaveContact{std::nullopt}, kProceed});
}

TEST_CASE_FIXTURE(Fixture, "a submission that the site cannot take now is made again, and its runs are not failed")
{
    on(Connected{});
    on(Chosen{});
    const Error away{ErrorCode::unavailable, "Slurm does not answer.", "Try again."};
    CHECK(on(Postponed{away, 3}) == std::vector<Action>{SaveContact{std::nullopt, becauseOf(away)}});
    for (int tick = 1; tick < kPostponedTicks; ++tick)
        CHECK(on(Ticked{}).empty());
    CHECK(on(Ticked{}) == std::vector<Action>{Submit{}});
    CHECK(on(Ticked{}).empty());
    CHECK(on(Accepted{"1"}) ==
          std::vector<Action>{SaveStage{Stage::submitted, "1"}, SaveContact{std::nullopt}, Follow{}, kProceed});
}

TEST_CASE_FIXTURE(Fixture, "a runner that has not begun is waited for")
{
    submit();
    on(CaughtUp{false, 0});
    CHECK(on(Reported{Reported::Standing::alive, 0}).empty());
    CHECK(on(Ticked{}) == std::vector<Action>{AskStatus{}});
    on(journalled(JournalKind::runnerStarted));
    on(CaughtUp{true, 0});
    CHECK(on(Ticked{}).empty());
}

TEST_CASE_FIXTURE(Fixture, "a runner that died before it was seen alive is succeeded")
{
    submit();
    on(CaughtUp{false, 0});
    on(Reported{Reported::Standing::alive, 0}); // its job waits
    on(journalled(JournalKind::runnerStarted));
    CHECK(on(Ticked{}) == std::vector<Action>{AskStatus{}});
    CHECK(countOf<Submit>(on(Reported{Reported::Standing::lost, 0})) == 1);
}

TEST_CASE_FIXTURE(Fixture, "a refused campaign fails its runs with what the site said")
{
    on(Connected{});
    on(Chosen{});
    const auto refused = on(Refused{{ErrorCode::noSpace, "No space.", "Free some."}, 3});
    CHECK(countOf<SaveRun>(refused) == 2);
    const Reason& reason = std::get<SaveRun>(refused[0]).change.reason;
    CHECK(reason.code == why::kError);
    CHECK(reason.text == "No space. Free some."); // words of an error
    CHECK(state.stage == Stage::ended);
}

TEST_CASE_FIXTURE(Fixture, "a cancelled campaign that the site then refuses ends as cancelled")
{
    on(Connected{});
    on(Chosen{});
    on(Asked{{Control::Kind::cancel}, 2});
    const auto refused = on(Refused{{ErrorCode::noSpace, "No space.", "Free some."}, 3});
    CHECK(countOf<SaveRun>(refused) == 2);
    CHECK(std::get<SaveRun>(refused[0]).change.state == RunState::cancelled);
    CHECK(std::get<SaveRun>(refused[0]).change.reason == because(why::kCancelled));
    CHECK(state.stage == Stage::ended);
}

TEST_CASE_FIXTURE(Fixture, "cancelling: at once while it waits, by the site once it has it, later without contact")
{
    SUBCASE("waiting")
    {
        const auto actions = on(Asked{{Control::Kind::cancel}, 1});
        CHECK(countOf<SaveRun>(actions) == 2);
        CHECK(countOf<Control>(actions) == 0);
        CHECK(state.stage == Stage::ended);
    }
    SUBCASE("submitted")
    {
        submit();
        CHECK(on(Asked{{Control::Kind::cancel}, 1}) ==
              std::vector<Action>{SaveCancelled{}, Control{Control::Kind::cancel, {}}});
        on(ended(first, 1, RunState::cancelled, Cause::cancelled));
        on(journalled(JournalKind::runnerEnded));
        on(CaughtUp{false, 0});
        CHECK(state.runs[second].state == RunState::cancelled);
        CHECK(state.stage == Stage::ended);
    }
    SUBCASE("without contact")
    {
        submit();
        on(Disconnected{1});
        CHECK(on(Asked{{Control::Kind::cancel}, 1}) == std::vector<Action>{SaveCancelled{}});
        on(Connected{});
        CHECK(countOf<Control>(on(Reported{Reported::Standing::alive, 0})) == 1);
    }
}

TEST_CASE_FIXTURE(Fixture, "single runs, waiting runs, holding")
{
    CHECK(countOf<SaveRun>(on(Asked{{Control::Kind::cancelRun, first}, 1})) == 1);
    CHECK(state.stage == Stage::waiting);
    submit();
    on(started(second, 1));
    CHECK(on(Asked{{Control::Kind::cancelWaiting}, 1}).empty());
    CHECK(on(Asked{{Control::Kind::cancelRun, second}, 1}) ==
          std::vector<Action>{SaveRunCancelled{second}, Control{Control::Kind::cancelRun, second}});
    CHECK(on(Asked{{Control::Kind::cancelRun, RunId::random()}, 1}).empty());
    CHECK(on(Asked{{Control::Kind::hold}, 0}) == std::vector<Action>{SaveHeld{true}, Control{Control::Kind::hold, {}}});
    CHECK(on(journalled(JournalKind::held)).empty());
    CHECK(on(journalled(JournalKind::continued)).empty()); // of an earlier hold: what was asked for last counts
    CHECK(state.held);
}

TEST_CASE_FIXTURE(Fixture, "orders without contact are written down, and sent with the next contact")
{
    submit();
    on(started(first, 1));
    on(Asked{{Control::Kind::hold}, 0});
    on(Disconnected{1});
    CHECK(on(Asked{{Control::Kind::proceed}, 0}) == std::vector<Action>{SaveHeld{false}});
    CHECK(on(Asked{{Control::Kind::cancelRun, second}, 1}) == std::vector<Action>{SaveRunCancelled{second}});
    CHECK(on(Asked{{Control::Kind::cancelRun, second}, 1}).empty());
    CHECK(state.runs[second].state == RunState::queued); // it is not known whether it has begun
    on(Connected{});
    CHECK(on(Reported{Reported::Standing::alive, 0}) == std::vector<Action>{SaveContact{std::nullopt}, Follow{},
                                                                            kProceed,
                                                                            Control{Control::Kind::cancelRun, second}});
    on(ended(first, 1, RunState::done));
    on(journalled(JournalKind::runnerEnded));
    on(CaughtUp{false, 0});
    CHECK(state.runs[second].state == RunState::cancelled); // and not failed
    CHECK(state.stage == Stage::ended);
}

TEST_CASE_FIXTURE(Fixture, "what is held before it was handed over is not")
{
    on(Asked{{Control::Kind::hold}, 0});
    CHECK(on(Chosen{}).empty());
    on(Asked{{Control::Kind::proceed}, 0});
    CHECK(countOf<SaveStage>(on(Chosen{})) == 1);
}

TEST_CASE_FIXTURE(Fixture, "what was cancelled before it was handed over ends, though its end could not be kept then")
{
    on(Connected{});
    for (const bool held : {false, true}) {
        state.stage = Stage::waiting;
        state.held = held;
        state.cancelled = true; // as it is read again
        state.runs = {{first, {}}, {second, {}}};
        const std::vector<Action> actions = on(Chosen{7});
        CHECK(countOf<Submit>(actions) == 0);
        CHECK(countOf<SaveRun>(actions) == 2);
        CHECK(actions.back() == Action(SaveStage{Stage::ended, ""}));
        CHECK(state.runs[first].state == RunState::cancelled);
    }
}

TEST_CASE_FIXTURE(Fixture, "a run that its campaign did not come to says so")
{
    submit();
    on(ended(first, 1, RunState::done));
    on(journalled(JournalKind::runnerEnded));
    const auto last = on(CaughtUp{false, 3});
    REQUIRE(countOf<SaveRun>(last) == 1);
    CHECK(std::get<SaveRun>(last[0]).change.run == second);
    CHECK(std::get<SaveRun>(last[0]).change.reason == because(why::kCampaignEnded));
}

TEST_CASE_FIXTURE(Fixture, "a run that the time limit ended says so, not that its campaign did not come to it")
{
    submit();
    on(started(first, 1));
    on(ended(first, 1, RunState::requeued, Cause::timeLimit));
    on(journalled(JournalKind::runnerEnded));
    std::map<RunId, Reason> reasons;
    for (const Action& action : on(CaughtUp{false, 3}))
        if (const auto* saved = std::get_if<SaveRun>(&action))
            reasons[saved->change.run] = saved->change.reason;
    CHECK(reasons ==
          std::map<RunId, Reason>{{first, because(why::kTimeLimit)}, {second, because(why::kCampaignEnded)}});
}

TEST_CASE_FIXTURE(Fixture,
                  "a campaign whose runs are cancelled one by one is withdrawn, as its job would wait for nothing")
{
    submit();
    const std::vector<Action> withdrawn = {SaveCancelled{}, Control{Control::Kind::cancel, {}}};
    const auto endsWith = [&](const std::vector<Action>& actions) {
        return actions.size() >= 2 && std::equal(withdrawn.begin(), withdrawn.end(), actions.end() - 2);
    };
    SUBCASE("all that wait")
    {
        CHECK(endsWith(on(Asked{{Control::Kind::cancelWaiting}, 1})));
    }
    SUBCASE("each by itself")
    {
        CHECK(countOf<SaveCancelled>(on(Asked{{Control::Kind::cancelRun, first}, 1})) == 0);
        CHECK(endsWith(on(Asked{{Control::Kind::cancelRun, second}, 1})));
        CHECK(countOf<SaveCancelled>(on(Asked{{Control::Kind::cancelRun, second}, 1})) == 0); // it has been
    }
    SUBCASE("not while one runs, whose end the runner records")
    {
        on(started(first, 1));
        CHECK(countOf<SaveCancelled>(on(Asked{{Control::Kind::cancelWaiting}, 1})) == 0);
        on(ended(first, 1, RunState::done));
        CHECK_FALSE(state.cancelled);
    }
    SUBCASE("without contact, with the next one")
    {
        on(Disconnected{1});
        CHECK(countOf<Control>(on(Asked{{Control::Kind::cancelWaiting}, 1})) == 0);
        on(Connected{});
        const auto sent = on(Reported{Reported::Standing::alive, 0});
        CHECK(std::ranges::find(sent, Action(withdrawn.back())) != sent.end());
    }
}

TEST_CASE_FIXTURE(Fixture, "what the journal gives as a reason is kept as it stands")
{
    submit();
    Journalled waits = journalled(JournalKind::waits);
    waits.event.reason = because(why::kBusy, {{"holder", "kim"}, {"held", 1}});
    CHECK(on(waits) == std::vector<Action>{SaveContact{std::nullopt, waits.event.reason}});
    on(started(first, 1));
    Journalled end = ended(first, 1, RunState::failed, Cause::lostRank);
    end.event.reason = because(why::kSilent, {{"rank", 3}, {"host", "n7"}, {"seconds", 30}});
    const auto actions = on(end);
    REQUIRE(countOf<SaveRun>(actions) == 1);
    CHECK(std::get<SaveRun>(actions[0]).change.reason == end.event.reason);
}
