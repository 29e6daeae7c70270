// SPDX-License-Identifier: MIT
// Gradients as they are: 32 bits each.
#include "agent/worker/collectives/numbers.h"
#include "agent/worker/plans/compressions/compression.h"

#include <cstring>

namespace ringside {

namespace {

class UncompressedExchange : public Exchange
{
public:
    explicit UncompressedExchange(std::unique_ptr<Summation> summation)
        : m_summation(std::move(summation))
    {
    }
    Result<std::uint64_t> sum(std::uint32_t, std::span<float> gradients) override
    {
        return m_summation->sum(gradients);
    }

private:
    std::unique_ptr<Summation> m_summation;
};

class UncompressedCodec : public GradientCodec
{
public:
    std::size_t bytesOf(std::size_t count) const override { return count * sizeof(float); }
    std::span<const std::byte> encode(std::uint32_t, std::span<float> gradients) override
    {
        return std::as_bytes(gradients);
    }
    void decode(std::span<const std::byte> message, std::span<float> numbers) const override
    {
        std::memcpy(numbers.data(), message.data(), message.size());
    }
    void decodeAndAdd(std::span<const std::byte> message, std::span<float> numbers) const override
    {
        addNumbers(numbers, message.data());
    }
};

Result<std::unique_ptr<Exchange>> newExchange(const AggregationPlan& plan, Communicator& communicator, c10::Device)
{
    TRY_ASSIGN(auto summation, makeSummation(plan.collective, communicator));
    return std::make_unique<UncompressedExchange>(std::move(summation));
}

std::unique_ptr<GradientCodec> newCodec(const AggregationPlan&)
{
    return std::make_unique<UncompressedCodec>();
}

std::uint64_t sentBytes(const AggregationPlan& plan, const ExchangedNumbers& numbers)
{
    return sumBytes(plan, numbers, sizeof(float));
}

} // namespace

extern const CompressionKind kUncompressed{Compression::none, newExchange, newCodec, sentBytes};

} // namespace ringside
