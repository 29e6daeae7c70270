// SPDX-License-Identifier: MIT
#include "core/logs/statedbatches.h"

#include <cmath>
#include <limits>

namespace ringside::logs {

namespace {

struct Batch
{
    Quantity quantity;
    std::optional<std::int64_t> LogSettings::*setting;
};
constexpr auto kBatches = std::to_array<Batch>(
    {{Quantity::batchPerRank, &LogSettings::batchPerRank}, {Quantity::batchGlobal, &LogSettings::batchGlobal}});

} // namespace

Printed unclear()
{
    return {std::numeric_limits<double>::quiet_NaN(), 0};
}

std::optional<Finding> markUnclear(LineValues& values, const LineValues& earlier)
{
    std::optional<Finding> found;
    for (const Batch& batch : kBatches) {
        const auto now = values.get(batch.quantity), before = earlier.get(batch.quantity);
        if (!now || !before || now->value == before->value)
            continue;
        if (!found && !std::isnan(before->value))
            found = Finding{FindingCode::batchUnclear, 0, now->value, before->value};
        values.set(batch.quantity, unclear());
    }
    return found;
}

std::optional<Finding> StatedBatches::add(LogSettings& settings, const LogSettings& given, const LineValues& values)
{
    std::optional<Finding> found;
    for (std::size_t i = 0; i < kBatches.size(); ++i) {
        const auto printed = values.get(kBatches[i].quantity);
        Stated& stated = m_stated[i];
        if (!printed)
            continue;
        const bool isOther = stated.number && *stated.number != printed->value;
        if (isOther && !stated.isUnclear && !std::isnan(printed->value) && !found)
            found = Finding{FindingCode::batchUnclear, 0, printed->value, *stated.number};
        stated.isUnclear |= isOther || std::isnan(printed->value);
        stated.number = printed->value;
        if (stated.isUnclear)
            settings.*kBatches[i].setting = given.*kBatches[i].setting;
    }
    return found;
}

} // namespace ringside::logs
