// SPDX-License-Identifier: MIT
// The items that are counted of a run, images or sequences by its model, of a log also tokens, and how that is written.
// English, the language of exports; all of it is marked, so that the window can show it in its own. Pure; any thread.
#pragma once

#include "core/protocol/settings.h"
#include "core/spec/schema.h"

#include <functional>
#include <set>

namespace ringside::report {

enum class Items
{
    images,
    sequences,
    tokens, ///< of imported runs alone
    mixed   ///< of several runs: not all of them the same
};

struct ItemWords
{
    const char* items;      ///< "images"
    const char* perSecond;  ///< "images/s"
    const char* throughput; ///< the title of an axis: "Throughput (images/s)"
    const char* rateNote;   ///< below a table of rates
};

const ItemWords& itemWords(Items items);

/// The items of a run or configuration: what its log counts, else what its model is trained with.
Items itemsOf(const Settings& settings);

/// The kinds that occur among several runs; `settingsOf` returns the Settings of each.
template <class Range, class SettingsOf> std::set<Items> kindsOfItems(const Range& range, SettingsOf settingsOf)
{
    std::set<Items> kinds;
    for (const auto& each : range)
        kinds.insert(itemsOf(std::invoke(settingsOf, each)));
    return kinds;
}

/// All of these together; images if there are none.
Items commonItems(const std::set<Items>& kinds);

template <class Range, class SettingsOf> Items itemsOfAll(const Range& range, SettingsOf settingsOf)
{
    return commonItems(kindsOfItems(range, settingsOf));
}

/// The unit of a setting's number: "images" of a batch, "pixels"; empty: none.
std::string_view unitOf(const spec::Setting& setting, Items items);

} // namespace ringside::report
