// SPDX-License-Identifier: MIT
#include "core/logs/sources.h"

#include "core/logs/namenumbers.h"

#include <algorithm>
#include <utility>

namespace ringside::logs {

namespace {

/// Iterations from one place to a later one of the same epoch. Numbers may be any that a log prints: those that lie too
/// far apart, or are none, say nothing of a step.
std::optional<std::int64_t> stepBetween(const Place& from, const Place& to)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 53; // beyond which numbers that were printed are not exact
    const auto isSmall = [](std::int64_t number) { return number >= -kMost && number <= kMost; };
    if (from.first != to.first || !isSmall(from.second) || !isSmall(to.second))
        return std::nullopt;
    return to.second - from.second;
}

} // namespace

bool Source::goesOnEarlier(const Place& at) const
{
    if (!left || left->at != at || !place)
        return false;
    const auto jump = stepBetween(*place, at);
    return jump && *jump > step.value_or(left->step);
}

bool Source::returnsToEarlier(const Place& at)
{
    returns = left && left->at == at ? returns + 1 : 0;
    return returns > 1;
}

void Source::noteRestart()
{
    returns = 0;
    turns = {};
}

void Source::moveTo(const Place& at)
{
    step = place ? stepBetween(*place, at) : std::nullopt;
    before = place;
    place = at;
    ++placed;
}

void Source::moveStamp(const std::optional<Stamp>& now, LogRecord& record, LogLane& ownLane)
{
    if (stamp && now) {
        record.passed = static_cast<float>(secondsBetween(*stamp, *now));
        ownLane.stampHalfStep = now->halfStep;
    }
    stamp = now;
}

Source* Sources::tagged(int rank, Scope scope)
{
    const auto found = m_tagged.find({rank, scope});
    if (found == m_tagged.end())
        return nullptr;
    Source& source = found->second;
    if (!source.lane) // its next record is of the run that the rank has come to, maybe by lines of another scope
        source.run = nextRunOf(rank);
    return &source;
}

void Sources::catchUp(Source& untagged) const
{
    const auto known = m_untagged.find(untagged.rank);
    if (untagged.lane || known == m_untagged.end())
        return;
    for (const Source& other : known->second)
        if (other.scope != untagged.scope)
            untagged.run = std::max(untagged.run, other.run);
}

/// The run that the rank has come to, or the last one that began for all.
std::size_t Sources::nextRunOf(int rank) const
{
    return std::max(runOf(rank), m_begunRun);
}

/// A process whose lines have another scope from here on goes on in its run; a further one without a tag begins with
/// the first.
std::size_t Sources::firstRunOf(std::optional<int> rank, Scope scope) const
{
    const auto known = m_untagged.find(rank);
    const bool isFurther = !isOneProcess(rank) && known != m_untagged.end() &&
                           std::ranges::find(known->second, scope, &Source::scope) != known->second.end();
    return isFurther ? 0 : isOneProcess(rank) ? nextRunOf(*rank) : runOf(rank);
}

Source* Sources::add(std::optional<int> rank, Scope scope)
{
    const bool isOne = isOneProcess(rank);
    const bool isFull = isOne ? m_tagged.size() >= kMostRanks
                              : m_untagged[rank].size() >= kMostUntagged || (rank && m_named >= kMostRanks);
    if (isFull)
        return nullptr;
    Source added{.rank = rank, .scope = scope, .run = firstRunOf(rank, scope), .testsSeen = m_tests};
    m_named += rank && !isOne;
    if (!isOne)
        return &m_untagged[rank].emplace_back(std::move(added));
    return &m_tagged.try_emplace({*rank, scope}, std::move(added)).first->second;
}

template <class Self, class Apply> void Sources::forSourcesOf(Self& self, int rank, Apply apply)
{
    auto& tagged = self.m_tagged;
    for (auto found = tagged.lower_bound({rank, Scope{}}); found != tagged.end() && found->first.first == rank; ++found)
        apply(found->second);
    if (const auto named = self.m_untagged.find(rank); named != self.m_untagged.end())
        std::for_each(named->second.begin(), named->second.end(), apply);
}

std::size_t Sources::runOf(std::optional<int> rank) const
{
    if (!rank)
        return m_lastRun;
    std::size_t run = 0;
    forSourcesOf(*this, *rank, [&](const Source& source) { run = std::max(run, source.run); });
    return run;
}

void Sources::setLane(Source& source, std::size_t lane)
{
    source.lane = lane;
    m_printed.push_back(&source);
}

void Sources::moveOn(Source& source)
{
    std::optional<Left> left;
    if (source.place && source.step)
        left = Left{{source.place->first, source.place->second + *source.step}, *source.step};
    source = Source{.rank = source.rank,
                    .scope = source.scope,
                    .run = source.run + 1,
                    .testsSeen = m_tests,
                    .printsSeveral = source.printsSeveral,
                    .left = left,
                    .returns = source.returns,
                    .turns = source.turns,
                    .isMixed = source.isMixed};
    m_lastRun = std::max(m_lastRun, source.run);
}

/// Each source prints its own: the second one's must not begin a third run.
void Sources::begin(std::optional<int> rank, bool isAnnounced)
{
    const auto begin = [&](Source& source) {
        if (isAnnounced) {
            source.turns = {};
            source.isMixed = false;
        }
        if (source.lane)
            moveOn(source);
    };
    if (rank)
        return forSourcesOf(*this, *rank, begin);
    for (Source* source : m_printed) {
        begin(*source);
        m_begunRun = std::max(m_begunRun, source->run);
    }
    m_printed.clear();
}

void Sources::noteTest(std::optional<int> rank)
{
    if (rank)
        forSourcesOf(*this, *rank, [](Source& source) { source.holdsTest = true; });
    else
        ++m_tests;
}

bool Sources::takeTest(Source& source) const
{
    const bool isOfAll = std::exchange(source.testsSeen, m_tests) != m_tests;
    return std::exchange(source.holdsTest, false) || isOfAll;
}

} // namespace ringside::logs
