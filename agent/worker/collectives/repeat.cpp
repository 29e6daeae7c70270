// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/repeat.h"

#include "core/base/clock.h"

#include <algorithm>

namespace ringside {

namespace {

constexpr int kFewest = 3, kMost = 400;

double secondsSince(std::int64_t beganNs)
{
    return static_cast<double>(monotonicNs() - beganNs) / 1e9;
}

Result<double> timed(Communicator& communicator, const std::function<Result<void>()>& call)
{
    TRY(communicator.barrier());
    const auto began = monotonicNs();
    TRY(call());
    return secondsSince(began);
}

/// Every rank's values, rank after rank.
Result<std::vector<double>> gathered(Communicator& communicator, const std::vector<double>& mine)
{
    std::vector<double> all(mine.size() * static_cast<std::size_t>(communicator.worldSize()));
    TRY(communicator.allGather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all))));
    return all;
}

/// Rank 0 decides: ranks that repeat a collective unequally often wait for each other for ever.
Result<int> agreedRepeats(Communicator& communicator, std::chrono::milliseconds budget, int fewest, double seconds)
{
    const double wanted = std::chrono::duration<double>(budget).count() / std::max(seconds, 1e-9);
    int repeats = static_cast<int>(std::clamp(wanted, static_cast<double>(fewest), static_cast<double>(kMost)));
    TRY(communicator.broadcast(std::as_writable_bytes(std::span(&repeats, 1)), 0));
    return repeats;
}

} // namespace

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return values.size() % 2 ? *middle : (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double medianSeconds(std::chrono::milliseconds budget, const std::function<void()>& work)
{
    work();
    std::vector<double> seconds;
    const auto end = monotonicNs() + toNs(budget);
    while (seconds.size() < kFewest || monotonicNs() < end) {
        const auto began = monotonicNs();
        work();
        seconds.push_back(secondsSince(began));
    }
    return median(std::move(seconds));
}

Result<double> slowestSeconds(Communicator& communicator, std::chrono::milliseconds budget, int fewest,
                              const std::function<Result<void>()>& call)
{
    TRY_ASSIGN(const double first, timed(communicator, call));
    TRY_ASSIGN(const int repeats, agreedRepeats(communicator, budget, fewest, first));
    std::vector<double> mine;
    for (int i = 0; i < repeats; ++i) {
        TRY_ASSIGN(const double seconds, timed(communicator, call));
        mine.push_back(seconds);
    }
    TRY_ASSIGN(const auto all, gathered(communicator, mine));
    for (std::size_t at = 0; at < all.size(); ++at)
        mine[at % mine.size()] = std::max(mine[at % mine.size()], all[at]);
    return median(std::move(mine));
}

Result<RankRate> overRanks(Communicator& communicator, double rate)
{
    TRY_ASSIGN(auto rates, gathered(communicator, {rate}));
    std::erase_if(rates, [](double each) { return !(each > 0); });
    if (rates.empty())
        return RankRate{};
    return RankRate{median(rates), *std::ranges::min_element(rates)};
}

} // namespace ringside
