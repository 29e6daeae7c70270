// SPDX-License-Identifier: MIT
#include "core/logs/goneon.h"

#include "core/logs/measure.h"
#include "core/logs/namenumbers.h"

namespace ringside::logs {

namespace {

bool isOfWholeRun(const LogRecord& record)
{
    return record.seconds && record.iterationRate && !record.iterations && !record.iteration && !record.epoch;
}

} // namespace

void leaveOutEarlier(LogRun& run, std::vector<Finding>& findings)
{
    for (LogLane& lane : run.lanes) {
        const LogSettings& stated = run.statements[nameOf(lane.rank)].settings; // another name may be another run's
        if (!stated.plannedIterations || !stated.earlierIterations)
            continue;
        const auto made = static_cast<double>(*stated.plannedIterations - *stated.earlierIterations);
        for (LogRecord& record : lane.epochs) {
            const double counted = isOfWholeRun(record) ? *record.iterationRate * *record.seconds : made;
            if (agree(Printed{counted, counted * record.roughness}, Printed{made, 0}))
                continue;
            addFinding(findings, {FindingCode::earlierIterations, 0, counted, made}, record.line);
            record.isRefused = made <= 0;
            record.iterations = made;
            record.iterationRate = made / *record.seconds;
            record.itemRate = std::nullopt; // which counts them, too
        }
    }
}

} // namespace ringside::logs
