// SPDX-License-Identifier: MIT
#include "core/logs/ahead.h"

#include "core/logs/namenumbers.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ringside::logs {

namespace {

/// Epochs that were announced and have no record. Ranks wait for each other, so few are open at a time.
constexpr std::size_t kMostOpen = 4'096;

/// The number by which a line follows the one before it.
std::optional<std::int64_t> numberOf(const LineValues& values)
{
    return values.whole(values.has(Quantity::iteration) ? Quantity::iteration : Quantity::round);
}

/// Returns whether the values have a number of ranks, and drops one that is none, as 0 and the -1 of “auto” are.
bool stateRanks(LineValues& values)
{
    const auto ranks = values.whole(Quantity::ranks);
    const bool areStated = ranks && *ranks > 0;
    if (!areStated)
        values.drop(Quantity::ranks);
    return areStated;
}

/// Returns whether settings were noted.
template <class To> bool take(Noted& noted, To& to)
{
    if (noted.values.isEmpty())
        return false;
    const bool isHeader = noted.values.hasSettings();
    for (std::size_t batch = 0; batch < kBatches.size(); ++batch)
        if (!to.values.has(kBatches[batch].quantity))
            to.stated[batch] = noted.stated[batch];
    if (!stateRanks(to.values))
        to.ranksLine = noted.ranksLine;
    to.values.addMissing(std::exchange(noted, {}).values);
    return isHeader;
}

} // namespace

void Noted::dropBatch(std::size_t batch)
{
    values.drop(kBatches[batch].quantity);
    stated[batch] = {};
}

Ahead::Announced* Ahead::find(std::optional<int> rank)
{
    const auto found = m_announced.find(rank);
    if (found == m_announced.end())
        return nullptr;
    Announced& announced = found->second;
    if (std::exchange(announced.run, m_run) != m_run)
        announced.forgetEpochs();
    return &announced;
}

bool Ahead::note(std::optional<int> rank, const Noted& noted, std::uint64_t header)
{
    Announced* announced = find(rank);
    if (!announced && rank && m_announced.size() >= kMostRanks)
        return false;
    if (!announced)
        announced = &m_announced.try_emplace(rank, Announced{.run = m_run}).first->second;
    LineValues newest = noted.values;
    newest.drop(Quantity::epoch);
    if (stateRanks(newest))
        announced->noted.ranksLine = noted.ranksLine;
    newest.addMissing(announced->noted.values);
    announced->noted.values = newest;
    for (std::size_t batch = 0; batch < kBatches.size(); ++batch)
        if (noted.stated[batch].line != 0) {
            StatedBatch& known = announced->noted.stated[batch];
            known = known.line < header ? noted.stated[batch] : together(known, noted.stated[batch]);
        }
    if (const auto epoch = noted.values.whole(Quantity::epoch)) {
        announced->announce(*epoch, isOneProcess(rank));
        m_epoch = epoch;
    }
    return true;
}

/// One process announces its epochs one by one: what is still open at the next has lost its record.
void Ahead::Announced::announce(std::int64_t next, bool isTagged)
{
    isSeveral |= !isTagged && next == epoch;
    if (!isSeveral && !epochs.empty()) {
        if (epochs.front() != next && !lost)
            lost = epochs.front();
        epochs.clear();
    }
    if (epochs.size() == kMostOpen)
        epochs.pop_front();
    epochs.push_back(next);
    epoch = next;
    announces = true;
}

Ahead::Completed Ahead::complete(KnownLine& line, const std::function<bool(const LineValues&)>& isPossible)
{
    const auto rank = line.rank;
    LineValues& values = line.values;
    bool isBehindHeader = false;
    std::optional<std::int64_t> lost;
    if (Announced* announced = find(rank)) {
        isBehindHeader |= take(announced->noted, line);
        while (!announced->epochs.empty() && !values.has(Quantity::epoch) && !numberOf(values)) {
            LineValues tried = values;
            tried.set(Quantity::epoch, {static_cast<double>(announced->epochs.front()), 0});
            announced->epochs.pop_front();
            if (announced->epochs.empty() || isPossible(tried)) {
                values = tried;
                lost = std::exchange(announced->lost, std::nullopt);
            }
        }
    }
    if (Announced* name = nameOf(rank) ? find(nameOf(rank)) : nullptr)
        isBehindHeader |= take(name->noted, line);
    if (Announced* all = rank ? find(std::nullopt) : nullptr)
        isBehindHeader |= take(all->noted, line);
    return {isBehindHeader, lost};
}

void Ahead::forgetEpochs(std::optional<int> rank)
{
    if (Announced* announced = rank ? find(rank) : nullptr)
        announced->forgetEpochs();
    m_run += !rank;
    m_epoch.reset();
}

std::optional<std::int64_t> Ahead::epoch(std::optional<int> rank) const
{
    const auto found = m_announced.find(rank);
    if (found == m_announced.end() || !found->second.announces)
        return m_epoch;
    return found->second.run == m_run ? found->second.epoch : std::nullopt;
}

bool Ahead::goesBack(std::optional<int> rank, const LineValues& values) const
{
    const auto announced = values.whole(Quantity::epoch), last = epoch(rank);
    return announced && last && *announced < *last;
}

std::optional<Place> Ahead::placeIn(const Source& source, const LineValues& values) const
{
    const auto number = numberOf(values);
    const auto epoch = values.whole(Quantity::epoch);
    if (!number && !epoch)
        return std::nullopt;
    const std::int64_t own = source.epoch.value_or(0);
    Place place{epoch.value_or(own), number.value_or(std::numeric_limits<std::int64_t>::max())};
    if (!epoch && place <= source.place)
        place.first = std::max(own, this->epoch(source.rank).value_or(own));
    return place;
}

Noted Ahead::left(std::uint64_t since) const
{
    Noted left;
    for (const auto& [rank, announced] : m_announced) {
        Noted noted = announced.noted;
        for (std::size_t batch = 0; batch < kBatches.size(); ++batch)
            if (noted.stated[batch].line < since)
                noted.dropBatch(batch);
        take(noted, left);
    }
    return left;
}

} // namespace ringside::logs
