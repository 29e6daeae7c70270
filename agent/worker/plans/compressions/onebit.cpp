// SPDX-License-Identifier: MIT
// Signs and two means (onebitcode.h); what that loses is added to the next gradients. Codes cannot be added up on the
// way: collectives have a way of their own.
#include "agent/worker/device/tensors.h"
#include "agent/worker/plans/compressions/compression.h"
#include "agent/worker/plans/compressions/losses.h"
#include "agent/worker/plans/compressions/onebitcode.h"
#include "agent/worker/plans/compressions/onebittensors.h"

#include <unordered_map>
#include <vector>

namespace ringside {

namespace {

std::span<std::byte> blockOf(std::span<std::byte> bytes, int rank, std::size_t block)
{
    return bytes.subspan(static_cast<std::size_t>(rank) * block, block);
}

/// Each rank sums one part of the gradients: it gets the codes of that part from all, and sends the code of the sum to
/// all. Both codes lose something, and both losses are stored (Seide et al. 2014, section 4).
class OneBitExchange : public Exchange
{
public:
    explicit OneBitExchange(Communicator& communicator)
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
        for (int rank = 0; rank < m_communicator.worldSize(); ++rank)
            onebit::addAndEncode(partIn(std::span(losses), rank), partIn(gradients, rank), blockOf(m_out, rank, block));
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

    template <class Number> std::span<Number> partIn(std::span<Number> numbers, int rank) const
    {
        const Part part = partOf(numbers.size(), rank, m_communicator.worldSize());
        return numbers.subspan(part.first, part.count);
    }

    Communicator& m_communicator;
    Losses m_losses;       ///< of this rank's gradients
    Losses m_lossesOfSums; ///< of the part that this rank sums
    std::vector<std::byte> m_out, m_in;
};

/// The same in the memory of a GPU, all parts at once.
class OneBitOnGpu : public Exchange
{
public:
    OneBitOnGpu(Communicator& communicator, c10::Device device)
        : m_communicator(communicator)
        , m_device(device)
        , m_ranks(communicator.worldSize())
    {
    }
    void reserve(std::size_t numbers) override
    {
        m_out = at::empty({m_ranks * blockOf(numbers)}, at::TensorOptions(at::kByte).device(m_device));
        m_in = at::empty_like(m_out);
    }
    Result<std::uint64_t> sum(std::uint32_t unit, std::span<float> gradients) override
    {
        const at::NoGradGuard noGraph;
        const std::int64_t block = blockOf(gradients.size());
        const at::Tensor out = m_out.narrow(0, 0, m_ranks * block), in = m_in.narrow(0, 0, m_ranks * block);
        const at::Tensor mine = out.narrow(0, 0, block);
        const std::vector<at::Tensor> parts = partsOf(viewOf(gradients, m_device));
        const Kept& kept = keptOf(unit, gradients.size());

        at::_foreach_add_(firstsOf(kept.losses, parts), parts);
        out.view({m_ranks, block}).copy_(kept.code.encode(kept.losses));
        TRY(m_communicator.allToAll(memoryOf(out), memoryOf(in)));
        kept.lossesOfSum.add_(kept.codeOfSum.decode(in).sum(0));
        mine.view({1, block}).copy_(kept.codeOfSum.encode(kept.lossesOfSum));
        TRY(m_communicator.allGather(memoryOf(mine), memoryOf(in)));
        at::_foreach_copy_(parts, firstsOf(kept.code.decode(in), parts));
        return out.nbytes() + mine.nbytes();
    }

private:
    /// The codes of a unit: a row for each rank's part, and one for the part that this rank sums.
    struct Kept
    {
        onebit::TensorCode code, codeOfSum;
        at::Tensor losses = code.rows(), lossesOfSum = codeOfSum.rows();
    };

    std::int64_t blockOf(std::size_t numbers) const
    {
        return static_cast<std::int64_t>(onebit::codeBytes(partOf(numbers, 0, m_communicator.worldSize()).count));
    }

    const Kept& keptOf(std::uint32_t unit, std::size_t numbers)
    {
        if (const auto found = m_kept.find(unit); found != m_kept.end())
            return found->second;
        std::vector<std::size_t> counts;
        for (int rank = 0; rank < m_communicator.worldSize(); ++rank)
            counts.push_back(partOf(numbers, rank, m_communicator.worldSize()).count);
        const auto mine = std::span(counts).subspan(static_cast<std::size_t>(m_communicator.rank()), 1);
        return m_kept.emplace(unit, Kept{{counts, counts.front(), m_device}, {mine, counts.front(), m_device}})
            .first->second;
    }

    std::vector<at::Tensor> partsOf(const at::Tensor& numbers) const
    {
        std::vector<at::Tensor> parts;
        for (int rank = 0; rank < m_communicator.worldSize(); ++rank) {
            const Part part = partOf(static_cast<std::size_t>(numbers.numel()), rank, m_communicator.worldSize());
            parts.push_back(
                numbers.narrow(0, static_cast<std::int64_t>(part.first), static_cast<std::int64_t>(part.count)));
        }
        return parts;
    }

    /// As many numbers of each row as the part has.
    static std::vector<at::Tensor> firstsOf(const at::Tensor& rows, const std::vector<at::Tensor>& parts)
    {
        std::vector<at::Tensor> firsts;
        for (const at::Tensor& part : parts)
            firsts.push_back(rows[static_cast<std::int64_t>(firsts.size())].view({-1}).narrow(0, 0, part.numel()));
        return firsts;
    }

    Communicator& m_communicator;
    c10::Device m_device;
    std::int64_t m_ranks;
    std::unordered_map<std::uint32_t, Kept> m_kept; ///< by unit
    at::Tensor m_out, m_in;                         ///< codes of the largest unit
};

class OneBitCodec : public GradientCodec
{
public:
    std::size_t bytesOf(std::size_t count) const override { return onebit::codeBytes(count); }
    std::span<const std::byte> encode(std::uint32_t shard, std::span<float> gradients) override
    {
        auto& losses = m_losses.of(shard, gradients.size());
        auto& bytes = m_messages[shard];
        bytes.resize(bytesOf(gradients.size()));
        onebit::addAndEncode(losses, gradients, bytes);
        return bytes;
    }
    void decode(std::span<const std::byte> message, std::span<float> numbers) const override
    {
        onebit::decode(message, numbers);
    }
    void decodeAndAdd(std::span<const std::byte> message, std::span<float> numbers) const override
    {
        onebit::decodeAndAdd(message, numbers);
    }

private:
    Losses m_losses;
    std::unordered_map<std::uint32_t, std::vector<std::byte>> m_messages;
};

Result<std::unique_ptr<Exchange>> newExchange(const AggregationPlan&, Communicator& communicator, c10::Device device)
{
    if (device.is_cpu())
        return std::make_unique<OneBitExchange>(communicator);
    return std::make_unique<OneBitOnGpu>(communicator, device);
}

std::unique_ptr<GradientCodec> newCodec(const AggregationPlan&)
{
    return std::make_unique<OneBitCodec>();
}

/// To the rank that sums a part, and its sum to all.
std::uint64_t sentBytes(const AggregationPlan&, const ExchangedNumbers& numbers)
{
    const std::size_t ranks = numbers.ranks();
    return 2 * ranks * (ranks - 1) * onebit::codeBytes(partOf(numbers.count, 0, static_cast<int>(ranks)).count);
}

} // namespace

extern const CompressionKind kOneBit{Compression::onebit, newExchange, newCodec, sentBytes};

} // namespace ringside
