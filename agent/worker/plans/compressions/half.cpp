// SPDX-License-Identifier: MIT
// Gradients rounded to 16 bits, in half precision or as bfloat16. The rounding errors are lost.
#include "agent/worker/device/tensors.h"
#include "agent/worker/plans/compressions/compression.h"

#include <ATen/ATen.h>
#include <unordered_map>
#include <vector>

namespace ringside {

namespace {

constexpr at::ScalarType scalarOf(NumberType type)
{
    return type == NumberType::f16 ? at::kHalf : at::kBFloat16;
}

/// Rounded, summed so, and converted back, by the device whose memory the gradients are in.
class HalfExchange : public Exchange
{
public:
    HalfExchange(std::unique_ptr<Summation> summation, NumberType type, c10::Device device)
        : m_summation(std::move(summation))
        , m_type(type)
        , m_device(device)
    {
    }
    void reserve(std::size_t numbers) override
    {
        m_half = at::empty({static_cast<std::int64_t>(numbers)}, at::TensorOptions(scalarOf(m_type)).device(m_device));
    }
    Result<std::uint64_t> sum(std::uint32_t, std::span<float> gradients) override
    {
        const at::NoGradGuard noGraph;
        const at::Tensor whole = viewOf(gradients, m_device);
        const at::Tensor half = m_half.narrow(0, 0, whole.numel());
        half.copy_(whole);
        auto* bits = static_cast<std::uint16_t*>(half.mutable_data_ptr());
        TRY_ASSIGN(const auto bytes, m_summation->sum({std::span(bits, gradients.size()), m_type}));
        whole.copy_(half);
        return bytes;
    }

private:
    std::unique_ptr<Summation> m_summation;
    NumberType m_type;
    c10::Device m_device;
    at::Tensor m_half; ///< as many as the largest unit has
};

class HalfCodec : public GradientCodec
{
public:
    explicit HalfCodec(NumberType type)
        : m_type(scalarOf(type))
    {
    }
    std::size_t bytesOf(std::size_t count) const override { return count * sizeof(std::uint16_t); }
    std::span<const std::byte> encode(std::uint32_t shard, std::span<float> gradients) override
    {
        auto& bytes = m_messages[shard];
        bytes.resize(bytesOf(gradients.size()));
        halves(bytes, gradients.size()).copy_(floats(gradients));
        return bytes;
    }
    void decode(std::span<const std::byte> message, std::span<float> numbers) const override
    {
        floats(numbers).copy_(halves(message, numbers.size()));
    }
    void decodeAndAdd(std::span<const std::byte> message, std::span<float> numbers) const override
    {
        floats(numbers).add_(halves(message, numbers.size()));
    }

private:
    static at::Tensor floats(std::span<float> numbers)
    {
        return at::from_blob(numbers.data(), {static_cast<std::int64_t>(numbers.size())}, at::kFloat);
    }
    at::Tensor halves(std::span<const std::byte> bytes, std::size_t count) const
    {
        auto* data = const_cast<std::byte*>(bytes.data()); // from_blob accepts nothing less
        return at::from_blob(data, {static_cast<std::int64_t>(count)}, m_type);
    }

    at::ScalarType m_type;
    std::unordered_map<std::uint32_t, std::vector<std::byte>> m_messages;
};

template <NumberType type>
Result<std::unique_ptr<Exchange>> newExchange(const AggregationPlan& plan, Communicator& communicator,
                                              c10::Device device)
{
    TRY_ASSIGN(auto summation, makeSummation(plan.collective, communicator));
    return std::make_unique<HalfExchange>(std::move(summation), type, device);
}

template <NumberType type> std::unique_ptr<GradientCodec> newCodec(const AggregationPlan&)
{
    return std::make_unique<HalfCodec>(type);
}

std::uint64_t sentBytes(const AggregationPlan& plan, const ExchangedNumbers& numbers)
{
    return sumBytes(plan, numbers, sizeof(std::uint16_t));
}

} // namespace

extern const CompressionKind kFp16{Compression::fp16, newExchange<NumberType::f16>, newCodec<NumberType::f16>,
                                   sentBytes, 2e-3};
extern const CompressionKind kBf16{Compression::bf16, newExchange<NumberType::bf16>, newCodec<NumberType::bf16>,
                                   sentBytes, 2e-2};

} // namespace ringside
