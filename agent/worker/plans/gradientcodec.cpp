// SPDX-License-Identifier: MIT
#include "agent/worker/plans/gradientcodec.h"

#include "agent/worker/plans/losses.h"
#include "agent/worker/plans/onebit.h"
#include "agent/worker/plans/topk.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <cstring>

namespace ringside {

namespace {

at::Tensor viewOf(std::span<float> numbers)
{
    return at::from_blob(numbers.data(), {static_cast<std::int64_t>(numbers.size())}, at::kFloat);
}

class Plain : public GradientCodec
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
        addNumbers(numbers, {reinterpret_cast<const float*>(message.data()), numbers.size()});
    }
};

class Half : public GradientCodec
{
public:
    explicit Half(at::ScalarType type)
        : m_type(type)
    {
    }
    std::size_t bytesOf(std::size_t count) const override { return count * sizeof(std::uint16_t); }
    std::span<const std::byte> encode(std::uint32_t shard, std::span<float> gradients) override
    {
        auto& bytes = m_messages[shard];
        bytes.resize(bytesOf(gradients.size()));
        viewOf(bytes, gradients.size()).copy_(ringside::viewOf(gradients));
        return bytes;
    }
    void decode(std::span<const std::byte> message, std::span<float> numbers) const override
    {
        ringside::viewOf(numbers).copy_(viewOf(message, numbers.size()));
    }
    void decodeAndAdd(std::span<const std::byte> message, std::span<float> numbers) const override
    {
        ringside::viewOf(numbers).add_(viewOf(message, numbers.size()));
    }

private:
    at::Tensor viewOf(std::span<const std::byte> bytes, std::size_t count) const
    {
        auto* data = const_cast<std::byte*>(bytes.data()); // from_blob takes nothing less
        return at::from_blob(data, {static_cast<std::int64_t>(count)}, m_type);
    }

    at::ScalarType m_type;
    std::unordered_map<std::uint32_t, std::vector<std::byte>> m_messages;
};

class OneBit : public GradientCodec
{
public:
    std::size_t bytesOf(std::size_t count) const override { return onebit::codeBytes(count); }
    std::span<const std::byte> encode(std::uint32_t shard, std::span<float> gradients) override
    {
        auto& losses = m_losses.of(shard, gradients.size());
        auto& bytes = m_messages[shard];
        bytes.resize(bytesOf(gradients.size()));
        addNumbers(losses, gradients);
        onebit::encode(losses, bytes);
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

class TopK : public GradientCodec
{
public:
    explicit TopK(int ppm)
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
        addNumbers(losses, gradients);
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
        const std::span entries(reinterpret_cast<const topk::Entry*>(message.data()),
                                message.size() / sizeof(topk::Entry));
        for (const topk::Entry& entry : entries)
            if (entry.index < numbers.size())
                numbers[entry.index] += entry.value;
    }

private:
    int m_ppm;
    Losses m_losses;
    std::unordered_map<std::uint32_t, std::vector<topk::Entry>> m_messages;
};

} // namespace

std::unique_ptr<GradientCodec> makeCodec(const AggregationPlan& plan)
{
    switch (plan.compression) {
    case Compression::fp16:
        return std::make_unique<Half>(at::kHalf);
    case Compression::bf16:
        return std::make_unique<Half>(at::kBFloat16);
    case Compression::onebit:
        return std::make_unique<OneBit>();
    case Compression::topk:
        return std::make_unique<TopK>(plan.topkPpm);
    case Compression::none:
        break;
    }
    return std::make_unique<Plain>();
}

} // namespace ringside
