// SPDX-License-Identifier: MIT
#include "core/logs/ahead.h"

#include <algorithm>
#include <utility>

namespace ringside::logs {

namespace {

/// Epochs that were announced and have no record. Ranks wait for each other, so few are open at a time.
constexpr std::size_t kMostOpen = 4'096;

void take(LineValues& told, LineValues& values)
{
    if (!told.isEmpty())
        values.addMissing(std::exchange(told, {}));
}

} // namespace

Ahead::Told* Ahead::find(std::optional<int> rank)
{
    const auto found = std::find_if(m_told.begin(), m_told.end(), [&](const Told& told) { return told.rank == rank; });
    return found == m_told.end() ? nullptr : &*found;
}

void Ahead::note(std::optional<int> rank, const LineValues& values)
{
    Told* told = find(rank);
    if (!told)
        told = &m_told.emplace_back(Told{rank});
    LineValues newest = values;
    newest.drop(Quantity::epoch);
    newest.addMissing(told->values);
    told->values = newest;
    const auto epoch = values.whole(Quantity::epoch);
    if (!epoch)
        return;
    m_epoch = epoch;
    // One process announces its epochs one by one; of several, an earlier one than the last begins another run.
    if (rank || (!told->epochs.empty() && *epoch < told->epochs.back()))
        told->epochs.clear();
    if (told->epochs.size() == kMostOpen)
        told->epochs.pop_front();
    told->epochs.push_back(*epoch);
}

void Ahead::complete(std::optional<int> rank, LineValues& values,
                     const std::function<bool(const LineValues&)>& isPossible)
{
    if (Told* told = find(rank)) {
        take(told->values, values);
        while (!told->epochs.empty() && !values.has(Quantity::epoch) && !values.has(Quantity::iteration)) {
            LineValues tried = values;
            tried.set(Quantity::epoch, {static_cast<double>(told->epochs.front()), 0});
            told->epochs.pop_front();
            if (told->epochs.empty() || isPossible(tried))
                values = tried;
        }
    }
    if (Told* all = rank ? find(std::nullopt) : nullptr)
        take(all->values, values);
}

void Ahead::forgetEpochs(std::optional<int> rank)
{
    for (Told& told : m_told)
        if (!rank || told.rank == rank)
            told.epochs.clear();
    m_epoch.reset();
}

LineValues Ahead::left() const
{
    LineValues left;
    for (const Told& told : m_told)
        left.addMissing(told.values);
    return left;
}

} // namespace ringside::logs
