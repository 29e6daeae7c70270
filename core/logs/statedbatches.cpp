// SPDX-License-Identifier: MIT
#include "core/logs/statedbatches.h"

namespace ringside::logs {

StatedBatches takeStated(LineValues& values, std::uint64_t line, bool isReported)
{
    StatedBatches stated;
    for (std::size_t batch = 0; batch < kBatches.size(); ++batch) {
        const auto number = values.whole(kBatches[batch].quantity);
        if (number && *number > 0)
            stated[batch] = {.number = *number, .line = line, .isReported = isReported};
        else
            values.drop(kBatches[batch].quantity);
    }
    return stated;
}

StatedBatch together(const StatedBatch& earlier, const StatedBatch& later)
{
    if (earlier.line == 0)
        return later;
    if (later.line == 0 || earlier.isUnclear())
        return earlier;
    if (later.isUnclear())
        return later;
    const bool isReported = earlier.isReported && later.isReported;
    return later.number == earlier.number ? StatedBatch{earlier.number, earlier.line, 0, isReported}
                                          : StatedBatch{later.number, later.line, earlier.number, isReported};
}

bool statesAnother(const StatedBatches& known, const StatedBatches& stated)
{
    for (std::size_t batch = 0; batch < kBatches.size(); ++batch) {
        const StatedBatch both = together(known[batch], stated[batch]);
        const bool isKnown = known[batch].line != 0 && !known[batch].isUnclear();
        if (isKnown && both.isUnclear() && !both.isReported && !stated[batch].isUnclear())
            return true;
    }
    return false;
}

std::optional<Finding> addStated(LogRun& run, const StatedBatches& stated, const LogSettings& given)
{
    const bool isSaid = given.batchPerRank || given.batchGlobal;
    std::optional<Finding> found;
    for (std::size_t batch = 0; batch < kBatches.size(); ++batch) {
        if (stated[batch].line == 0)
            continue;
        StatedBatch& known = run.stated[batch];
        const bool wasUnclear = known.isUnclear();
        known = together(known, stated[batch]);
        const auto setting = kBatches[batch].setting;
        run.settings.*setting = known.isUnclear() ? given.*setting : std::optional(known.number);
        if (known.isUnclear() && !wasUnclear && !known.isReported && !isSaid && !found)
            found = Finding{FindingCode::batchUnclear, known.line, static_cast<double>(known.number),
                            static_cast<double>(known.other)};
    }
    return found;
}

} // namespace ringside::logs
