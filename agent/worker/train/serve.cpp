// SPDX-License-Identifier: MIT
#include "agent/worker/train/serve.h"

#include "agent/worker/plans/servers/parameterserver.h"
#include "agent/worker/train/trainreport.h"
#include "core/base/say.h"

namespace ringside {

namespace {

std::string describe(const ServerReport& report, bool isAsynchronous)
{
    std::string text = fmt::format("served {} shards of {} weights: {} pushes, {} updates", report.shards,
                                   report.numbers, report.pushes, report.updates);
    if (isAsynchronous && report.pushes > 0)
        text +=
            fmt::format("; gradients were {:.2f} updates old on average, at most {}",
                        static_cast<double>(report.staleness) / static_cast<double>(report.pushes), report.mostStale);
    return text;
}

} // namespace

Outcome<int> serve(const TrainSettings& settings, Rank& rank)
{
    TRY_AS(exitcode::kPeerLost, reportServer(rank));
    ParameterServer server(settings.run.plan, settings.optimizer, rank.world(), settings.run.ranks());
    TRY_ASSIGN_AS(exitcode::kPeerLost, const ServerReport report, server.serve());
    say("rank {}: {}", rank.world().rank(), describe(report, settings.run.plan.asynchronous));
    TRY_ASSIGN_AS(exitcode::kPeerLost, const int code, rank.agreeOnEnd(exitcode::kDone));
    return code == exitcode::kNotANumber ? exitcode::kDone : code; // the loss was not its own
}

} // namespace ringside
