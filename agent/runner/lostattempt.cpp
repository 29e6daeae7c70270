// SPDX-License-Identifier: MIT
#include "agent/runner/lostattempt.h"

#include "core/base/clock.h"
#include "core/protocol/layout.h"

namespace ringside::runner {

namespace {

std::vector<RankWatch> readSpools(const RunSpec& run, const fs::path& attempt)
{
    std::vector<RankWatch> watches;
    for (int process = 0; process < run.processes(); ++process) {
        RankWatch& watch = watches.emplace_back(layout::spoolFile(attempt, process), monotonicNs(), run.leads(process));
        while (watch.look(monotonicNs())) // a look reads a part
            ;
    }
    return watches;
}

} // namespace

Verdict verdictOnLost(const CampaignPlan& plan, const RunSpec& run, const fs::path& attempt)
{
    const auto program = jobs::programOf(plan, run.settings);
    Evidence evidence = evidenceOf(run, *program);
    evidence.stop = StopReason::preempted;
    for (int process = 0; process < run.processes(); ++process)
        evidence.ranks.push_back(readRankExit(attempt, process));
    if (!jobs::isOwn(program->name()))
        addReports(evidence, readSpools(run, attempt));
    return judge(evidence);
}

} // namespace ringside::runner
