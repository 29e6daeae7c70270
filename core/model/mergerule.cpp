// SPDX-License-Identifier: MIT
#include "core/model/mergerule.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ringside::model {

namespace {

/// A message that is still being put together.
struct Message
{
    double start = 0;
    std::uint64_t bytes = 0;
    std::size_t gradients = 0;

    void take(const ReadyGradient& gradient)
    {
        start = std::max(start, gradient.readyAt);
        bytes += gradient.bytes;
        ++gradients;
    }
};

bool isWorthWaiting(const Message& message, const ReadyGradient& next, const MessageCost& cost)
{
    const double alone = cost(message.bytes);
    if (next.readyAt >= message.start + alone)
        return false;
    const double saved = alone + cost(next.bytes) - cost(message.bytes + next.bytes);
    return message.start > next.readyAt || next.readyAt - message.start < saved;
}

} // namespace

Groups mergeGradients(std::span<const ReadyGradient> gradients, const MessageCost& cost)
{
    Groups groups;
    Message message;
    for (const ReadyGradient& gradient : gradients) {
        if (message.gradients > 0 && !isWorthWaiting(message, gradient, cost)) {
            groups.push_back(message.gradients);
            message = {message.start + cost(message.bytes), 0, 0};
        }
        message.take(gradient);
    }
    if (message.gradients > 0)
        groups.push_back(message.gradients);
    return groups;
}

/// The earlier the first i gradients have arrived, the earlier all can: so the best of i + 1 builds on the best of
/// fewer.
Groups bestGroups(std::span<const ReadyGradient> gradients, const MessageCost& cost)
{
    struct Best
    {
        double end = 0;
        std::size_t first = 0; ///< of the last message
    };
    std::vector<Best> best(gradients.size() + 1);
    for (std::size_t count = 1; count <= gradients.size(); ++count) {
        best[count].end = std::numeric_limits<double>::infinity();
        std::uint64_t bytes = 0;
        for (std::size_t first = count; first-- > 0;) {
            bytes += gradients[first].bytes;
            const double end = std::max(best[first].end, gradients[count - 1].readyAt) + cost(bytes);
            if (end <= best[count].end) // the longer message of two that end alike
                best[count] = {end, first};
        }
    }
    Groups groups;
    for (std::size_t count = gradients.size(); count > 0; count = best[count].first)
        groups.push_back(count - best[count].first);
    std::ranges::reverse(groups);
    return groups;
}

MergeRule mergeRuleOf(Grouping grouping)
{
    struct Row
    {
        Grouping grouping;
        MergeRule rule;
    };
    static constexpr auto kRules =
        std::to_array<Row>({{Grouping::optimal, bestGroups}, {Grouping::merged, mergeGradients}});
    static_assert(kRules.size() ==
                  std::size_t(std::ranges::count(kGroupingWords, Grouped::byTimes, &GroupingWords::grouped)));
    const auto found = std::ranges::find(kRules, grouping, &Row::grouping);
    return found == kRules.end() ? nullptr : found->rule;
}

Exchange exchangeOf(std::span<const ReadyGradient> gradients, const Groups& groups, const MessageCost& cost)
{
    Exchange exchange;
    std::size_t first = 0;
    for (const std::size_t count : groups) {
        Message message{exchange.end};
        for (const ReadyGradient& gradient : gradients.subspan(first, count))
            message.take(gradient);
        exchange.end = message.start + cost(message.bytes);
        first += count;
    }
    if (!gradients.empty())
        exchange.exposed = std::max(0.0, exchange.end - gradients.back().readyAt);
    return exchange;
}

} // namespace ringside::model
