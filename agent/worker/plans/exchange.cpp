// SPDX-License-Identifier: MIT
#include "agent/worker/plans/exchange.h"

#include "agent/worker/device/sidestream.h"
#include "agent/worker/plans/losses.h"
#include "agent/worker/plans/onebit.h"
#include "agent/worker/plans/summation.h"
#include "agent/worker/plans/topk.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <vector>

namespace ringside {

namespace {

std::span<std::byte> blockOf(std::span<std::byte> bytes, int rank, std::size_t block)
{
    return bytes.subspan(static_cast<std::size_t>(rank) * block, block);
}

class Uncompressed : public Exchange
{
public:
    Uncompressed(std::unique_ptr<Summation> summation, bool takesGpuMemory)
        : m_summation(std::move(summation))
        , m_takesGpuMemory(takesGpuMemory)
    {
    }
    bool takesGpuMemory() const override { return m_takesGpuMemory; }
    QueuedSums* queuedSums() override { return m_takesGpuMemory ? m_summation->queuedSums() : nullptr; }
    Result<std::uint64_t> sum(std::uint32_t, std::span<float> gradients) override
    {
        return m_summation->sum(gradients);
    }

private:
    std::unique_ptr<Summation> m_summation;
    bool m_takesGpuMemory;
};

/// Rounded to 16 bits, summed so, and taken back, by the device whose memory the gradients are in.
class Halved : public Exchange
{
public:
    Halved(std::unique_ptr<Summation> summation, NumberType type, c10::Device device)
        : m_summation(std::move(summation))
        , m_type(type)
        , m_side(device)
    {
    }
    bool takesGpuMemory() const override { return !m_side.isOnCpu(); }
    void reserve(std::size_t numbers) override
    {
        const auto here = m_side.use(); // libtorch gives memory out by streams
        const auto type = m_type == NumberType::f16 ? at::kHalf : at::kBFloat16;
        m_half = at::empty({static_cast<std::int64_t>(numbers)}, at::TensorOptions(type).device(m_side.device()));
    }
    Result<std::uint64_t> sum(std::uint32_t, std::span<float> gradients) override
    try {
        const at::NoGradGuard noGraph;
        const auto here = m_side.use();
        const at::Tensor whole = m_side.view(gradients);
        const at::Tensor half = m_half.narrow(0, 0, whole.numel());
        half.copy_(whole);
        m_side.await();
        auto* bits = static_cast<std::uint16_t*>(half.mutable_data_ptr());
        TRY_ASSIGN(const auto bytes, m_summation->sum({std::span(bits, gradients.size()), m_type}));
        whole.copy_(half);
        m_side.await();
        return bytes;
    } catch (const std::exception& error) {
        return exchangeFailure(error);
    }

private:
    std::unique_ptr<Summation> m_summation;
    NumberType m_type;
    SideStream m_side;
    at::Tensor m_half; ///< as many as the largest unit has
};

/// Each rank sums one part of the gradients: it gets the codes of that part from all, and sends the code of the sum to
/// all. Both codes lose something, and both losses are kept (Seide et al. 2014, section 4).
class OneBit : public Exchange
{
public:
    explicit OneBit(Communicator& communicator)
        : m_communicator(communicator)
    {
    }

    Result<std::uint64_t> sum(std::uint32_t unit, std::span<float> gradients) override
    {
        const int ranks = m_communicator.worldSize();
        const std::size_t block = onebit::codeBytes(partOf(gradients.size(), 0, ranks).count);
        m_out.resize(block * static_cast<std::size_t>(ranks));
        m_in.resize(m_out.size());
        encodeParts(unit, gradients, block);
        TRY(m_communicator.allToAll(m_out, m_in));
        const auto code = encodeSum(unit, gradients.size(), block);
        TRY(m_communicator.allGather(code, m_in));
        for (int rank = 0; rank < ranks; ++rank)
            onebit::decode(blockOf(m_in, rank, block), partIn(gradients, rank));
        return m_out.size() + code.size();
    }

private:
    void encodeParts(std::uint32_t unit, std::span<const float> gradients, std::size_t block)
    {
        std::vector<float>& losses = m_losses.of(unit, gradients.size());
        addNumbers(losses, gradients);
        for (int rank = 0; rank < m_communicator.worldSize(); ++rank)
            onebit::encode(partIn(std::span(losses), rank), blockOf(m_out, rank, block));
    }

    std::span<const std::byte> encodeSum(std::uint32_t unit, std::size_t count, std::size_t block)
    {
        const Part mine = partOf(count, m_communicator.rank(), m_communicator.worldSize());
        std::vector<float>& losses = m_lossesOfSums.of(unit, mine.count);
        for (int rank = 0; rank < m_communicator.worldSize(); ++rank)
            onebit::decodeAndAdd(blockOf(m_in, rank, block), losses);
        const auto code = std::span(m_out).first(block);
        onebit::encode(losses, code);
        return code;
    }

    std::span<float> partIn(std::span<float> numbers, int rank) const
    {
        const Part part = partOf(numbers.size(), rank, m_communicator.worldSize());
        return numbers.subspan(part.first, part.count);
    }

    Communicator& m_communicator;
    Losses m_losses;       ///< of this rank's gradients
    Losses m_lossesOfSums; ///< of the part that this rank sums
    std::vector<std::byte> m_out, m_in;
};

/// Every rank gets the largest numbers of all and adds them up.
class Sparse : public Exchange
{
public:
    Sparse(Communicator& communicator, int ppm)
        : m_communicator(communicator)
        , m_ppm(ppm)
    {
    }

    Result<std::uint64_t> sum(std::uint32_t unit, std::span<float> gradients) override
    {
        std::vector<float>& losses = m_losses.of(unit, gradients.size());
        addNumbers(losses, gradients);
        m_mine.resize(topk::entriesOf(gradients.size(), m_ppm));
        m_all.resize(m_mine.size() * static_cast<std::size_t>(m_communicator.worldSize()));
        topk::take(losses, m_mine);
        TRY(m_communicator.allGather(std::as_bytes(std::span(m_mine)), std::as_writable_bytes(std::span(m_all))));
        std::ranges::fill(gradients, 0.0f);
        for (const topk::Entry& entry : m_all)
            if (entry.index < gradients.size())
                gradients[entry.index] += entry.value;
        return m_mine.size() * sizeof(topk::Entry);
    }

private:
    Communicator& m_communicator;
    int m_ppm;
    Losses m_losses;
    std::vector<topk::Entry> m_mine, m_all;
};

} // namespace

Result<std::unique_ptr<Exchange>> makeExchange(const AggregationPlan& plan, Communicator& communicator,
                                               c10::Device device)
{
    switch (plan.compression) {
    case Compression::onebit:
        return std::make_unique<OneBit>(communicator);
    case Compression::topk:
        return std::make_unique<Sparse>(communicator, plan.topkPpm);
    default:
        break;
    }
    TRY_ASSIGN(auto summation, makeSummation(plan.collective, communicator));
    if (plan.compression == Compression::none)
        return std::make_unique<Uncompressed>(std::move(summation), communicator.takesGpuMemory() && !device.is_cpu());
    return std::make_unique<Halved>(std::move(summation),
                                    plan.compression == Compression::fp16 ? NumberType::f16 : NumberType::bf16,
                                    communicator.takesGpuMemory() ? device : c10::Device(c10::kCPU));
}

} // namespace ringside
