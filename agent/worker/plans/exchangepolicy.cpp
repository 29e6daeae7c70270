// SPDX-License-Identifier: MIT
#include "agent/worker/plans/exchangepolicy.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <thread>

namespace ringside {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kBitsPerWord = 64;

class InOrder : public ExchangePolicy
{
public:
    void begin() override
    {
        m_ready.assign(m_ready.size(), false);
        m_next = 0;
    }
    void add(std::uint32_t unit) override
    {
        if (unit >= m_ready.size())
            m_ready.resize(unit + 1);
        m_ready[unit] = true;
    }
    bool hasWork() const override { return m_next < m_ready.size() && m_ready[m_next]; }
    Result<std::vector<Message>> next() override
    {
        std::vector<Message> messages;
        for (; hasWork(); ++m_next)
            messages.push_back({m_next, {m_next}});
        return messages;
    }

private:
    std::vector<bool> m_ready; ///< by unit
    std::uint32_t m_next = 0;
};

class MostUrgentFirst : public ExchangePolicy
{
public:
    explicit MostUrgentFirst(std::vector<std::uint32_t> urgency)
        : m_urgency(std::move(urgency))
    {
    }
    void begin() override
    {
        m_waiting = {};
        m_arrived = 0;
    }
    void add(std::uint32_t unit) override { m_waiting.push({m_urgency[unit], m_arrived++, unit}); }
    bool hasWork() const override { return !m_waiting.empty(); }
    Result<std::vector<Message>> next() override
    {
        const std::uint32_t unit = m_waiting.top().unit;
        m_waiting.pop();
        return std::vector<Message>{{unit, {unit}}};
    }

private:
    struct Waiting
    {
        std::uint32_t urgency;
        std::uint64_t arrival;
        std::uint32_t unit;
        bool operator<(const Waiting& other) const
        {
            return urgency != other.urgency ? urgency < other.urgency : arrival > other.arrival;
        }
    };

    const std::vector<std::uint32_t> m_urgency;
    std::priority_queue<Waiting> m_waiting;
    std::uint64_t m_arrived = 0;
};

class Agreed : public ExchangePolicy
{
public:
    Agreed(Communicator& ranks, std::size_t units, Cycle cycle, Choose choose, Named named)
        : m_ranks(ranks)
        , m_cycle(cycle)
        , m_choose(std::move(choose))
        , m_named(named)
        , m_ready((units + kBitsPerWord - 1) / kBitsPerWord)
        , m_agreed(m_ready.size())
    {
    }
    void begin() override
    {
        std::ranges::fill(m_ready, 0);
        m_waiting = 0;
        m_sent = 0;
    }
    void add(std::uint32_t unit) override
    {
        m_wasIdle = m_wasIdle || m_waiting == 0;
        m_ready[unit / kBitsPerWord] |= bitOf(unit);
        ++m_waiting;
    }
    /// Ranks cannot agree on anything while this rank has nothing ready.
    bool choosesLate() const override { return m_cycle.choosesLate; }
    bool hasWork() const override { return m_waiting > 0; }
    Result<std::vector<Message>> next() override
    {
        std::this_thread::sleep_until(nextCycle());
        m_began = Clock::now();
        m_agreed = m_ready;
        TRY(m_ranks.allReduceAnd(m_agreed));
        m_ended = Clock::now();
        m_wasIdle = false;
        const Units ready = unitsIn(m_agreed);
        return ready.empty() ? std::vector<Message>{} : messagesOf(m_choose(ready));
    }

private:
    static std::uint64_t bitOf(std::uint32_t unit) { return std::uint64_t{1} << (unit % kBitsPerWord); }

    Clock::time_point nextCycle() const
    {
        if (!m_wasIdle || !m_cycle.goesOn || m_cycle.length.count() == 0)
            return m_began + m_cycle.length;
        return m_ended + ((Clock::now() - m_ended) / m_cycle.length + 1) * m_cycle.length;
    }

    static Units unitsIn(const std::vector<std::uint64_t>& words)
    {
        Units units;
        for (std::size_t word = 0; word < words.size(); ++word)
            for (std::uint64_t bits = words[word]; bits != 0; bits &= bits - 1)
                units.push_back(static_cast<std::uint32_t>(word * kBitsPerWord) +
                                static_cast<std::uint32_t>(std::countr_zero(bits)));
        return units;
    }

    std::vector<Message> messagesOf(std::vector<Units> chosen)
    {
        std::vector<Message> messages;
        for (Units& units : chosen) {
            for (const std::uint32_t unit : units)
                m_ready[unit / kBitsPerWord] &= ~bitOf(unit);
            m_waiting -= units.size();
            const std::uint32_t name = m_named == Named::byUnit ? units.front() : m_sent;
            ++m_sent;
            messages.push_back({name, std::move(units)});
        }
        return messages;
    }

    Communicator& m_ranks;
    const Cycle m_cycle;
    const Choose m_choose;
    const Named m_named;
    std::vector<std::uint64_t> m_ready, m_agreed; ///< a bit for each unit
    std::size_t m_waiting = 0;                    ///< units that are ready here and have not travelled
    std::uint32_t m_sent = 0;                     ///< messages of the iteration
    bool m_wasIdle = false;                       ///< since the last agreement
    Clock::time_point m_began, m_ended;           ///< the last agreement
};

} // namespace

std::unique_ptr<ExchangePolicy> inOrder()
{
    return std::make_unique<InOrder>();
}

std::unique_ptr<ExchangePolicy> mostUrgentFirst(std::vector<std::uint32_t> urgency)
{
    return std::make_unique<MostUrgentFirst>(std::move(urgency));
}

std::unique_ptr<ExchangePolicy> agreed(Communicator& ranks, std::size_t units, Cycle cycle, Choose choose, Named named)
{
    return std::make_unique<Agreed>(ranks, units, cycle, std::move(choose), named);
}

std::vector<Units> fuse(const Units& ready, const std::vector<std::uint64_t>& bytes, std::uint64_t threshold)
{
    std::vector<Units> messages;
    std::uint64_t filled = 0;
    for (const auto unit : ready) {
        if (messages.empty() || filled + bytes[unit] > threshold) {
            messages.emplace_back();
            filled = 0;
        }
        messages.back().push_back(unit);
        filled += bytes[unit];
    }
    return messages;
}

std::vector<Units> frontMost(const Units& ready, const std::vector<std::uint64_t>& bytes, std::uint64_t chunk)
{
    std::vector<Units> messages;
    std::uint64_t filled = 0;
    for (auto unit = ready.rbegin(); unit != ready.rend() && (messages.empty() || filled < chunk); ++unit) {
        messages.push_back({*unit});
        filled += bytes[*unit];
    }
    return messages;
}

} // namespace ringside
