// SPDX-License-Identifier: MIT
#include "core/store/runflag.h"
#include "core/store/runsurvey.h"

#include <doctest/doctest.h>

using namespace ringside;
using store::RunRow;

namespace {

/// The runs of an experiment by identity; numbers count from 1 in the order in which they are added.
struct Runs
{
    RunRow& add(RunState state, int attempt = 0)
    {
        const RunId id = RunId::random();
        RunRow& run = all[id];
        run.id = id;
        run.number = static_cast<int>(all.size());
        run.site = "alder";
        run.state = state;
        run.attempt = attempt;
        return run;
    }

    std::map<RunId, RunRow> all;
};

} // namespace

TEST_CASE("of runs that wait the first is next, unless it is held")
{
    Runs runs;
    CHECK(store::surveyOf(runs.all).next == nullptr);
    runs.add(RunState::done, 1);
    runs.add(RunState::queued).held = true;
    const RunRow& second = runs.add(RunState::requeued, 1);
    runs.add(RunState::queued);
    const store::RunSurvey survey = store::surveyOf(runs.all);
    CHECK(survey.next == &second);
    CHECK(survey.counts.total == 4);
    CHECK(survey.counts.queued == 3);
    CHECK(survey.counts.held == 1);
    CHECK(survey.counts.done == 1);
}

TEST_CASE("without contact a run that had not begun waits, and one that had is active")
{
    Runs runs;
    const RunRow &begun = runs.add(RunState::unknown, 1), &notBegun = runs.add(RunState::unknown);
    CHECK(store::isActive(begun));
    CHECK_FALSE(store::isWaiting(begun));
    CHECK(store::isWaiting(notBegun));
    CHECK_FALSE(store::isActive(notBegun));
    CHECK(store::surveyOf(runs.all).next == &notBegun);
    CHECK(store::activeRun(runs.all) == &begun);
}

TEST_CASE("of several active runs the preferred one is shown, else the first, and an unknown one last")
{
    Runs runs;
    CHECK(store::activeRun(runs.all) == nullptr);
    const RunRow& unknown = runs.add(RunState::unknown, 1);
    CHECK(store::activeRun(runs.all) == &unknown);
    const RunRow &first = runs.add(RunState::starting, 1), &second = runs.add(RunState::running, 1);
    runs.add(RunState::queued);
    CHECK(store::activeRun(runs.all) == &first);
    CHECK(store::activeRun(runs.all, second.id) == &second);
    CHECK(store::activeRun(runs.all, unknown.id) == &first);
}

TEST_CASE("failed runs of the matrix can be tried again, and trials are shown but not counted")
{
    Runs runs;
    const RunRow& failed = runs.add(RunState::failed, 1);
    runs.add(RunState::failed, 1).inMatrix = false;
    runs.add(RunState::done, 1).kind = RunKind::trial;
    RunRow& trial = runs.add(RunState::failed, 1);
    trial.kind = RunKind::trial;
    const store::RunSurvey survey = store::surveyOf(runs.all);
    CHECK(survey.failed == std::map<std::string, std::vector<RunId>>{{"alder", {failed.id}}});
    CHECK(survey.trial == &trial);
    CHECK(survey.counts.total == 1);
    CHECK(survey.busySites.empty());
}

TEST_CASE("sites are busy while runs there have not ended, and disturbed runs are counted")
{
    Runs runs;
    runs.add(RunState::running, 1).site = "birch";
    runs.add(RunState::done, 1).flags = {std::string(store::runflag::kDisturbed)};
    RunRow& imported = runs.add(RunState::done, 1);
    imported.kind = RunKind::imported;
    imported.flags = {std::string(store::runflag::kDisturbed)};
    const store::RunSurvey survey = store::surveyOf(runs.all);
    CHECK(survey.busySites == std::set<std::string>{"birch"});
    CHECK(survey.disturbed == 1);
}
