// SPDX-License-Identifier: MIT
#include "core/logs/gaps.h"

#include <cstddef>

namespace ringside::logs {

namespace {

/// So many steps before a gap are the same.
constexpr std::size_t kLeastSame = 2;

/// Returns the iterations between a record and the one before it; 0 where they are of two epochs, or where the record
/// does not count just these, or loses nothing by a missing line.
std::int64_t stepTo(const std::vector<LogRecord>& records, std::size_t index)
{
    if (index == 0 || index >= records.size())
        return 0;
    const LogRecord& before = records[index - 1];
    const LogRecord& record = records[index];
    if (record.isByMean || before.epoch != record.epoch || !before.iteration || !record.iteration || !record.iterations)
        return 0;
    const std::int64_t step = *record.iteration - *before.iteration;
    return *record.iterations == static_cast<double>(step) ? step : 0;
}

/// A program that prints less often from there on goes on in the longer step.
bool isGap(const std::vector<LogRecord>& records, std::size_t index, std::int64_t usual)
{
    const std::int64_t step = stepTo(records, index), next = stepTo(records, index + 1);
    return usual > 0 && step > usual && step % usual == 0 && (next == 0 || next == usual);
}

void addGaps(const std::vector<LogRecord>& records, std::vector<Finding>& findings)
{
    std::int64_t usual = 0;
    std::size_t same = 0;
    for (std::size_t index = 1; index < records.size(); ++index) {
        const std::int64_t step = stepTo(records, index);
        if (same >= kLeastSame && isGap(records, index, usual)) {
            addFinding(findings,
                       {FindingCode::iterationsMissing, 0, static_cast<double>(*records[index].iteration - usual + 1),
                        static_cast<double>(*records[index - 1].iteration + 1)},
                       records[index].line);
        } else if (step > 0) {
            same = step == usual ? same + 1 : 1;
            usual = step;
        }
    }
}

} // namespace

void addGaps(const LogRun& run, std::vector<Finding>& findings)
{
    for (const LogLane& lane : run.lanes)
        addGaps(lane.records, findings);
}

} // namespace ringside::logs
