// SPDX-License-Identifier: MIT
#include "core/report/items.h"

#include "core/base/words.h"
#include "core/protocol/models.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace ringside::report {
namespace {

// In the order of Items.
constexpr ItemWords kWords[] = {
    {Words::noop("images"), Words::noop("images/s"), Words::noop("Throughput (images/s)"),
     Words::noop("images/s: work over time of a run; interval: 95 % of the median over runs")},
    {Words::noop("sequences"), Words::noop("sequences/s"), Words::noop("Throughput (sequences/s)"),
     Words::noop("sequences/s: work over time of a run; interval: 95 % of the median over runs")},
    {Words::noop("tokens"), Words::noop("tokens/s"), Words::noop("Throughput (tokens/s)"),
     Words::noop("tokens/s: work over time of a run; interval: 95 % of the median over runs")},
    {Words::noop("images or sequences"), Words::noop("items/s"), Words::noop("Throughput (items/s)"),
     Words::noop("items/s: images, sequences or tokens over time of a run; interval: 95 % of the median over runs")},
};

/// Nothing: this version does not know them.
std::optional<Items> itemsNamed(std::string_view name)
{
    const auto* found =
        std::find_if(std::begin(kWords), std::end(kWords), [&](const auto& words) { return words.items == name; });
    return found == std::end(kWords) ? std::nullopt : std::optional(static_cast<Items>(found - std::begin(kWords)));
}

} // namespace

const ItemWords& itemWords(Items items)
{
    return kWords[static_cast<std::size_t>(items)];
}

Items itemsOf(const Settings& settings)
{
    const std::optional<Items> told = itemsNamed(textOf(settings, kItemsKey).value_or(""));
    return told ? *told : *itemsNamed(ringside::itemsOf(textOf(settings, "model").value_or("")));
}

Items commonItems(const std::set<Items>& kinds)
{
    return kinds.empty() ? Items::images : kinds.size() == 1 ? *kinds.begin() : Items::mixed;
}

std::string_view unitOf(const spec::Setting& setting, Items items)
{
    return setting.unit == spec::kItemsUnit ? itemWords(items).items : setting.unit;
}

} // namespace ringside::report
