// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/numbers.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

namespace ringside {

namespace {

/// Of 16 bits: added in single precision and rounded once.
template <class Number> void addTo(std::byte* sum, const std::byte* more, std::size_t count)
{
    auto* to = reinterpret_cast<Number*>(sum);
    const auto* from = reinterpret_cast<const Number*>(more);
    for (std::size_t i = 0; i < count; ++i)
        to[i] = static_cast<float>(to[i]) + static_cast<float>(from[i]);
}

} // namespace

void addNumbers(Numbers sum, const std::byte* more)
{
    switch (sum.type) {
    case NumberType::f32:
        return addTo<float>(sum.data, more, sum.count);
    case NumberType::f16:
        return addTo<c10::Half>(sum.data, more, sum.count);
    case NumberType::bf16:
        return addTo<c10::BFloat16>(sum.data, more, sum.count);
    }
}

} // namespace ringside
