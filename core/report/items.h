// SPDX-License-Identifier: MIT
// The items that are counted of a run, images or sequences by its model, and how that is written. English, the language
// of exports; all of it is marked, so that the window can show it in its own. Pure; any thread.
#pragma once

#include "core/protocol/settings.h"
#include "core/spec/schema.h"

#include <functional>
#include <optional>

namespace ringside::report {

enum class Items
{
    images,
    sequences,
    mixed ///< of runs of several models: some of them images, others sequences
};

struct ItemWords
{
    const char* items;      ///< "images"
    const char* perSecond;  ///< "images/s"
    const char* throughput; ///< the title of an axis: "Throughput (images/s)"
    const char* rateNote;   ///< below a table of rates
};

const ItemWords& itemWords(Items items);

/// By the model of a run or configuration.
Items itemsOf(const Settings& settings);

/// For several runs; `settingsOf` returns the Settings of each. Images if there is none.
template <class Range, class SettingsOf> Items itemsOfAll(const Range& range, SettingsOf settingsOf)
{
    std::optional<Items> common;
    for (const auto& each : range) {
        const Items items = itemsOf(std::invoke(settingsOf, each));
        common = common.value_or(items) == items ? items : Items::mixed;
    }
    return common.value_or(Items::images);
}

/// The unit of a setting's number: "images" of a batch, "pixels"; empty: none.
std::string_view unitOf(const spec::Setting& setting, Items items);

} // namespace ringside::report
