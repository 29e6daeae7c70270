// SPDX-License-Identifier: MIT
// The largest gradients and their indices (topkentries.h); what is left out is added to the next ones. Ranks choose
// other places, so sums cannot be made on the way.
#include "agent/worker/collectives/numbers.h"
#include "agent/worker/device/tensors.h"
#include "agent/worker/plans/compressions/compression.h"
#include "agent/worker/plans/compressions/losses.h"
#include "agent/worker/plans/compressions/topkentries.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace ringside {

namespace {

/// Remote data may name places that are not there.
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

/// The places of as many largest numbers as topk::take selects, and the same ones: equal sizes are ordered by their
/// places.
at::Tensor placesOfLargest(const at::Tensor& numbers, std::int64_t entries)
{
    const at::Tensor sizes = numbers.view(at::kInt).bitwise_and(0x7fff'ffff).bitwise_right_shift(16);
    const at::Tensor ahead = at::arange(numbers.numel() - 1, -1, -1, numbers.options().dtype(at::kLong));
    return std::get<1>(sizes.to(at::kLong).mul_(numbers.numel()).add_(ahead).topk(entries));
}

/// The same in the memory of a GPU. Rank by rank, as sums have to be the same bits on all of them.
class TopKOnGpu : public Exchange
{
public:
    TopKOnGpu(Communicator& communicator, c10::Device device, int ppm)
        : m_communicator(communicator)
        , m_device(device)
        , m_ppm(ppm)
    {
    }
    void reserve(std::size_t numbers) override
    {
        m_mine = at::empty({entriesOf(numbers), 2}, at::TensorOptions(at::kInt).device(m_device));
        m_all = at::empty({m_communicator.worldSize() * entriesOf(numbers), 2}, m_mine.options());
    }
    Result<std::uint64_t> sum(std::uint32_t unit, std::span<float> gradients) override
    {
        const at::NoGradGuard noGraph;
        const at::Tensor numbers = viewOf(gradients, m_device);
        const std::int64_t entries = entriesOf(gradients.size()), ranks = m_communicator.worldSize();
        const at::Tensor mine = m_mine.narrow(0, 0, entries), all = m_all.narrow(0, 0, ranks * entries);
        take(unit, numbers, mine);
        TRY(m_communicator.allGather(memoryOf(mine), memoryOf(all)));
        numbers.zero_();
        for (const at::Tensor& of : all.chunk(ranks))
            numbers.index_add_(0, of.select(1, 0), of.select(1, 1).contiguous().view(at::kFloat));
        return mine.nbytes();
    }

private:
    std::int64_t entriesOf(std::size_t numbers) const
    {
        return static_cast<std::int64_t>(topk::entriesOf(numbers, m_ppm));
    }

    void take(std::uint32_t unit, const at::Tensor& numbers, const at::Tensor& mine)
    {
        at::Tensor& losses = m_losses[unit];
        if (!losses.defined())
            losses = at::zeros_like(numbers);
        losses.add_(numbers);
        const at::Tensor places = placesOfLargest(losses, mine.size(0));
        mine.select(1, 0).copy_(places);
        mine.select(1, 1).copy_(losses.index_select(0, places).view(at::kInt));
        losses.index_fill_(0, places, 0);
    }

    Communicator& m_communicator;
    c10::Device m_device;
    int m_ppm;
    std::unordered_map<std::uint32_t, at::Tensor> m_losses;
    at::Tensor m_mine, m_all; ///< of the largest unit: places, and the bits of numbers
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

Result<std::unique_ptr<Exchange>> newExchange(const AggregationPlan& plan, Communicator& communicator,
                                              c10::Device device)
{
    if (device.is_cpu())
        return std::make_unique<TopKExchange>(communicator, plan.topkPpm);
    return std::make_unique<TopKOnGpu>(communicator, device, plan.topkPpm);
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
