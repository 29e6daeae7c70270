// SPDX-License-Identifier: MIT
// The time that a core needs for a gradient, by each compression and by the sums that are made of compressed ones,
// beside copying it in memory. On a host without a GPU these are the cores that train. Prints lines "name value unit
// target".
#include "agent/worker/collectives/numbers.h"
#include "agent/worker/plans/compressions/onebitcode.h"
#include "agent/worker/plans/compressions/topkentries.h"
#include "tests/bench/support/numbers.h"

#include <chrono>
#include <cstring>
#include <random>

using namespace ringside;

namespace {

constexpr std::size_t kCount = 16'000'000; // more than caches hold
constexpr int kRounds = 9;
constexpr int kTopkPpm = 10'000;

/// Median of the rounds.
template <class Work> void print(const char* name, const Work& work)
{
    std::vector<double> readings;
    for (int round = 0; round < kRounds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        readings.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
    }
    std::printf("compression.%s %.2f ns/gradient -\n", name, bench::median(readings) / static_cast<double>(kCount));
}

std::vector<float> noise()
{
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> numbers(kCount);
    for (float& number : numbers)
        number = normal(random);
    return numbers;
}

} // namespace

int main()
{
    const std::vector<float> gradients = noise();
    std::vector<float> numbers = gradients;
    const auto* bytes = reinterpret_cast<const std::byte*>(gradients.data());
    print("copy", [&] { std::memcpy(numbers.data(), bytes, kCount * sizeof(float)); });
    print("sum_fp32", [&] { addNumbers(std::span(numbers), bytes); });
    std::vector<std::uint16_t> halves(kCount, 1);
    for (const auto& [name, type] : {std::pair("sum_fp16", NumberType::f16), {"sum_bf16", NumberType::bf16}})
        print(name, [&, type = type] { addNumbers({std::span(halves), type}, bytes); });
    std::vector<std::byte> code(onebit::codeBytes(kCount));
    print("onebit_encode", [&] { onebit::addAndEncode(numbers, gradients, code); });
    print("onebit_decode", [&] { onebit::decode(code, numbers); });
    print("onebit_decode_and_add", [&] { onebit::decodeAndAdd(code, numbers); });
    std::vector<topk::Entry> entries(topk::entriesOf(kCount, kTopkPpm));
    print("topk_of_1_percent", [&] {
        addNumbers(std::span(numbers), bytes); // as training does; or nothing would be left to take
        topk::take(numbers, entries);
    });
}
