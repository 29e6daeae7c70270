// SPDX-License-Identifier: MIT
// Lists made of lists.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ringside {

/// Returns what `map`, a function or a member, makes of each, in their order.
template <class Range, class Map> auto mapped(const Range& range, Map map)
{
    std::vector<std::decay_t<std::invoke_result_t<Map&, decltype(*std::begin(range))>>> values;
    for (const auto& each : range)
        values.push_back(std::invoke(map, each));
    return values;
}
/// The same as values of another type.
template <class Value, class Range, class Map> std::vector<Value> mapped(const Range& range, Map map)
{
    std::vector<Value> values;
    for (const auto& each : range)
        values.emplace_back(std::invoke(map, each));
    return values;
}

/// The texts that `map` makes of each, with `separator` between them.
template <class Range, class Map = std::identity>
std::string joined(const Range& range, std::string_view separator, Map map = {})
{
    std::string text;
    bool isFirst = true;
    for (const auto& each : range) {
        text.append(isFirst ? std::string_view() : separator).append(std::invoke(map, each));
        isFirst = false;
    }
    return text;
}

template <class Range, class Value> bool contains(const Range& range, const Value& value)
{
    return std::ranges::find(range, value) != std::ranges::end(range);
}

} // namespace ringside
