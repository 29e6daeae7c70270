// SPDX-License-Identifier: MIT
#include "core/report/items.h"

#include "core/base/words.h"
#include "core/protocol/models.h"

#include <algorithm>
#include <iterator>

namespace ringside::report {
namespace {

// In the order of Items.
constexpr ItemWords kWords[] = {
    {Words::noop("images"), Words::noop("images/s"), Words::noop("Throughput (images/s)"),
     Words::noop("images/s: work over time of a run; interval: 95 % of the median over runs")},
    {Words::noop("sequences"), Words::noop("sequences/s"), Words::noop("Throughput (sequences/s)"),
     Words::noop("sequences/s: work over time of a run; interval: 95 % of the median over runs")},
    {Words::noop("images or sequences"), Words::noop("items/s"), Words::noop("Throughput (items/s)"),
     Words::noop("items/s: images or sequences over time of a run; interval: 95 % of the median over runs")},
};

} // namespace

const ItemWords& itemWords(Items items)
{
    return kWords[static_cast<std::size_t>(items)];
}

Items itemsOf(const Settings& settings)
{
    const std::string_view counted = ringside::itemsOf(textOf(settings, "model").value_or(""));
    const auto* found =
        std::find_if(std::begin(kWords), std::end(kWords), [&](const auto& words) { return words.items == counted; });
    return static_cast<Items>(found - std::begin(kWords));
}

std::string_view unitOf(const spec::Setting& setting, Items items)
{
    return setting.unit == spec::kItemsUnit ? itemWords(items).items : setting.unit;
}

} // namespace ringside::report
