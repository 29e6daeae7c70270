// SPDX-License-Identifier: MIT
// Signs and two means (onebitcode.h); what that loses is added to the next gradients. Codes cannot be added up on the
// way: collectives have a way of their own.
#include "agent/worker/plans/compressions/compression.h"
#include "agent/worker/plans/compressions/losses.h"
#include "agent/worker/plans/compressions/onebitcode.h"

#include <unordered_map>
#include <vector>

namespace ringside {

namespace {

std::span<std::byte> blockOf(std::span<std::byte> bytes, int rank, std::size_t block)
{
    return bytes.subspan(static_cast<std::size_t>(rank) * block, block);
}

/// Each rank sums one part of the gradients: it gets the codes of that part from all, and sends the code of the sum to
/// all. Both codes lose something, and both losses are kept (Seide et al. 2014, section 4).
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

Result<std::unique_ptr<Exchange>> newExchange(const AggregationPlan&, Communicator& communicator, c10::Device)
{
    return std::make_unique<OneBitExchange>(communicator);
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
