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
    StatedBatch both = later.number == earlier.number ? earlier : later;
    if (later.number != earlier.number)
        both.other = earlier.number;
    both.isReported = earlier.isReported && later.isReported;
    return both;
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

std::optional<Finding> addStated(LogSettings& settings, StatedBatches& known, const StatedBatches& stated,
                                 const LogSettings& given)
{
    const bool isSaid = given.batchPerRank || given.batchGlobal;
    std::optional<Finding> found;
    for (std::size_t batch = 0; batch < kBatches.size(); ++batch) {
        if (stated[batch].line == 0)
            continue;
        StatedBatch& now = known[batch];
        const bool wasUnclear = now.isUnclear();
        now = together(now, stated[batch]);
        const auto setting = kBatches[batch].setting;
        settings.*setting = now.isUnclear() ? given.*setting : std::optional(now.number);
        if (now.isUnclear() && !wasUnclear && !now.isReported && !isSaid && !found)
            found = Finding{FindingCode::batchUnclear, now.line, static_cast<double>(now.number),
                            static_cast<double>(now.other)};
    }
    return found;
}

std::vector<Finding> addStatements(Statements& known, const Statements& later, const LogSettings& given)
{
    std::vector<Finding> findings;
    const auto before = known.settings.ranks, now = later.settings.ranks;
    const bool isBefore = before && now && later.ranksFile == known.ranksFile && later.ranksLine < known.ranksLine;
    if (before && now && before != now)
        findings.push_back({FindingCode::ranksDiffer, isBefore ? known.ranksLine : later.ranksLine,
                            static_cast<double>(isBefore ? *before : *now),
                            static_cast<double>(isBefore ? *now : *before)});
    noteSettings(known.settings, later.settings);
    if (isBefore) {
        known.settings.ranks = before;
    } else if (now) {
        known.ranksLine = later.ranksLine;
        known.ranksFile = later.ranksFile;
    }
    if (const auto differs = addStated(known.settings, known.batches, later.batches, given))
        findings.push_back(*differs);
    return findings;
}

} // namespace ringside::logs
