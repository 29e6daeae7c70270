// SPDX-License-Identifier: MIT
// The largest gradients and where they stand (topkentries.h); what is left out is added to the next ones. Ranks choose
// other places, so sums cannot be made on the way.
#include "agent/worker/collectives/numbers.h"
#include "agent/worker/plans/compressions/compression.h"
#include "agent/worker/plans/compressions/losses.h"
#include "agent/worker/plans/compressions/topkentries.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace ringside {

namespace {

/// What is remote may name places that are not there.
void addEntries(std::span<const topk::Entry> entries, std::span<float> numbers)
{
    for (const topk::Entry& entry : entries)
        if (entry.index < numbers.size())
            numbers[entry.index] += entry.value;
}

/// Every rank gets the largest numbers of all and adds them up.
class TopKExchange : public Exchange
{
public:
    TopKExchange(Communicator& communicator, int ppm)
        : m_communicator(communicator)
        , m_ppm(ppm)
    {
    }

    Result<std::uint64_t> sum(std::uint32_t unit, std::span<float> gradients) override
    {
        std::vector<float>& losses = m_losses.of(unit, gradients.size());
        addNumbers(std::span(losses), std::as_bytes(gradients).data());
        m_mine.resize(topk::entriesOf(gradients.size(), m_ppm));
        m_all.resize(m_mine.size() * static_cast<std::size_t>(m_communicator.worldSize()));
        topk::take(losses, m_mine);
        TRY(m_communicator.allGather(std::as_bytes(std::span(m_mine)), std::as_writable_bytes(std::span(m_all))));
        std::ranges::fill(gradients, 0.0f);
        addEntries(m_all, gradients);
        return m_mine.size() * sizeof(topk::Entry);
    }

private:
    Communicator& m_communicator;
    int m_ppm;
    Losses m_losses;
    std::vector<topk::Entry> m_mine, m_all;
};

class TopKCodec : public GradientCodec
{
public:
    explicit TopKCodec(int ppm)
        : m_ppm(ppm)
    {
    }
    std::size_t bytesOf(std::size_t count) const override
    {
        return topk::entriesOf(count, m_ppm) * sizeof(topk::Entry);
    }
    std::span<const std::byte> encode(std::uint32_t shard, std::span<float> gradients) override
    {
        auto& losses = m_losses.of(shard, gradients.size());
        auto& entries = m_messages[shard];
        entries.resize(topk::entriesOf(gradients.size(), m_ppm));
        addNumbers(std::span(losses), std::as_bytes(gradients).data());
        topk::take(losses, entries);
        return std::as_bytes(std::span(entries));
    }
    void decode(std::span<const std::byte> message, std::span<float> numbers) const override
    {
        std::ranges::fill(numbers, 0.0f);
        decodeAndAdd(message, numbers);
    }
    void decodeAndAdd(std::span<const std::byte> message, std::span<float> numbers) const override
    {
        addEntries({reinterpret_cast<const topk::Entry*>(message.data()), message.size() / sizeof(topk::Entry)},
                   numbers);
    }

private:
    int m_ppm;
    Losses m_losses;
    std::unordered_map<std::uint32_t, std::vector<topk::Entry>> m_messages;
};

Result<std::unique_ptr<Exchange>> newExchange(const AggregationPlan& plan, Communicator& communicator, c10::Device)
{
    return std::make_unique<TopKExchange>(communicator, plan.topkPpm);
}

std::unique_ptr<GradientCodec> newCodec(const AggregationPlan& plan)
{
    return std::make_unique<TopKCodec>(plan.topkPpm);
}

std::uint64_t sentBytes(const AggregationPlan& plan, const ExchangedNumbers& numbers)
{
    const std::size_t entries = topk::entriesOf(numbers.count, plan.topkPpm);
    return numbers.ranks() * (numbers.ranks() - 1) * entries * sizeof(topk::Entry);
}

} // namespace

extern const CompressionKind kTopK{Compression::topk, newExchange, newCodec, sentBytes};

} // namespace ringside
