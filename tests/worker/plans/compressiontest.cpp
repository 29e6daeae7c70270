// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/numbers.h"
#include "agent/worker/plans/compressions/onebitcode.h"
#include "agent/worker/plans/compressions/topkentries.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <vector>

using namespace ringside;

namespace {

std::vector<float> noise(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.01f, 1);
    std::vector<float> numbers(count);
    std::ranges::generate(numbers, [&] { return normal(random); });
    return numbers;
}

} // namespace

TEST_CASE("one bit: each number becomes the mean of its sign in its block, and what is lost is left")
{
    std::vector<float> numbers{1, 3, -2, -4, 5};
    std::vector<std::byte> code(onebit::codeBytes(numbers.size()));
    CHECK(code.size() == 9);
    onebit::encode(numbers, code);
    CHECK(numbers == std::vector<float>{-2, 0, 1, -1, 2});
    std::vector<float> decoded(5);
    onebit::decode(code, decoded);
    CHECK(decoded == std::vector<float>{3, 3, -3, -3, 3});
    onebit::decodeAndAdd(code, decoded);
    CHECK(decoded == std::vector<float>{6, 6, -6, -6, 6});
}

TEST_CASE("one bit: code and loss add up to the numbers, whatever the length")
{
    for (const std::size_t count : {1u, 7u, 8u, 9u, 1'023u, 1'024u, 1'025u, 10'000u}) {
        const auto numbers = noise(count, 1);
        auto losses = numbers;
        std::vector<std::byte> code(onebit::codeBytes(count));
        onebit::encode(losses, code);
        std::vector<float> decoded(count);
        onebit::decode(code, decoded);
        for (std::size_t i = 0; i < count; ++i)
            REQUIRE(decoded[i] + losses[i] == doctest::Approx(numbers[i]).epsilon(1e-5));
    }
    CHECK(onebit::codeBytes(1'024) == 136);
    CHECK(onebit::codeBytes(10'000) == 9 * 136 + 8 + 98);
}

TEST_CASE("one bit: numbers and what is added to them first are encoded as their sum is")
{
    for (const std::size_t count : {1u, 15u, 16u, 1'024u, 2'000u}) {
        auto numbers = noise(count, 1);
        const auto more = noise(count, 2);
        std::vector<float> sum(count);
        std::ranges::transform(numbers, more, sum.begin(), std::plus<>());
        std::vector<std::byte> code(onebit::codeBytes(count)), codeOfSum(code.size());
        onebit::addAndEncode(numbers, more, code);
        onebit::encode(sum, codeOfSum);
        CHECK(std::ranges::equal(code, codeOfSum));
        CHECK(numbers == sum);
    }
}

TEST_CASE("one bit: zeros of either sign are no negative numbers, and what is no number spoils its block only")
{
    std::vector<float> numbers(3'000, 0.0f);
    numbers[1] = -0.0f;
    numbers[2] = -1;
    numbers[1'500] = std::numeric_limits<float>::quiet_NaN();
    std::vector<std::byte> code(onebit::codeBytes(numbers.size()));
    onebit::encode(numbers, code);
    std::vector<float> decoded(numbers.size());
    onebit::decode(code, decoded);
    CHECK(decoded[1] == 0);
    CHECK(decoded[2] == -1);
    CHECK(std::isnan(decoded[1'500]));
    CHECK(decoded[1'023] == 0);
    CHECK(decoded[2'048] == 0);
}

TEST_CASE("16 bits: sums are libtorch's, to the bit, whatever the length")
{
    const auto bitsOf = [](const at::Tensor& numbers) {
        return std::span(static_cast<std::uint16_t*>(numbers.data_ptr()), static_cast<std::size_t>(numbers.numel()));
    };
    for (const auto& [type, scalar] : {std::pair(NumberType::f16, at::kHalf), {NumberType::bf16, at::kBFloat16}})
        for (const std::size_t count : {1u, 7u, 8u, 9u, 1'001u}) {
            auto numbers = noise(count, 1);
            numbers[0] = 65'500; // the largest half but one: its sum with another is none
            const auto sum = at::tensor(numbers).to(scalar), more = at::tensor(noise(count, 2)).to(scalar);
            more[0] = 65'500;
            const at::Tensor right = sum + more;
            addNumbers({bitsOf(sum), type}, std::as_bytes(bitsOf(more)).data());
            CHECK(std::ranges::equal(bitsOf(sum), bitsOf(right)));
        }
}

TEST_CASE("16 bits: halves are converted one by one as libtorch does, subnormal ones and what is no number included")
{
    const auto half = [](std::uint32_t bits) {
        return c10::Half(static_cast<std::uint16_t>(bits), c10::Half::from_bits());
    };
    // Zeros, the least and the largest subnormal and normal half, two that round the other's last bit, infinity, and
    // no number.
    for (const std::uint32_t other :
         {0x0000u, 0x8000u, 0x0001u, 0x83ffu, 0x0400u, 0x1001u, 0x9a55u, 0x7bffu, 0xfc00u, 0x7e00u})
        for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
            auto sum = static_cast<std::uint16_t>(bits);
            const auto more = static_cast<std::uint16_t>(other);
            addNumbers({std::span(&sum, 1), NumberType::f16}, std::as_bytes(std::span(&more, 1)).data());
            const c10::Half right = half(bits) + half(other);
            const bool isNumber = static_cast<float>(right) == static_cast<float>(right);
            const float found = half(sum);
            REQUIRE((isNumber ? sum == right.x : found != found));
        }
}

TEST_CASE("top-k: as many as asked for, the largest, each once, and they are taken out")
{
    for (const int ppm : {1, 1'000, 50'000, 1'000'000}) {
        const auto numbers = noise(10'000, 2);
        auto rest = numbers;
        std::vector<topk::Entry> entries(topk::entriesOf(numbers.size(), ppm));
        topk::take(rest, entries);
        CHECK(entries.size() == std::max<std::size_t>(1, std::size_t(ppm) / 100));
        float smallest = 1e9f, largestLeft = 0;
        for (const auto& entry : entries) {
            REQUIRE(entry.value == numbers[entry.index]);
            REQUIRE(rest[entry.index] == 0);
            smallest = std::min(smallest, std::fabs(entry.value));
            rest[entry.index] = entry.value;
        }
        CHECK(rest == numbers);
        for (const auto& entry : entries)
            rest[entry.index] = 0;
        for (const float number : rest)
            largestLeft = std::max(largestLeft, std::fabs(number));
        CHECK(largestLeft <= smallest * 1.01f); // sizes whose first 16 bits are alike count as one
    }
}

TEST_CASE("top-k: equal numbers, zeros and what is no number do not confuse it")
{
    std::vector<float> numbers(100, 0.5f);
    std::vector<topk::Entry> entries(3);
    topk::take(numbers, entries);
    CHECK(entries[2].index == 2);
    std::vector<float> zeros(10);
    topk::take(zeros, entries);
    CHECK(entries[2].index == 2);
    std::vector<float> broken{1, 2, std::nanf(""), 4};
    std::vector<topk::Entry> one(1);
    topk::take(broken, one);
    CHECK(std::isnan(one[0].value));
}
