// SPDX-License-Identifier: MIT
// Sizes and times in the units in which people read them, before the number is written: by humanBytes() and
// humanDuration() as in English, by the window as in the user's locale.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringside {

struct Quantity
{
    double value = 0; ///< in `unit`
    int decimals = 0; ///< to be written
    std::string_view unit;
};

/// Decimal units, three significant digits: 110 "MB".
Quantity quantityOfBytes(std::uint64_t bytes);

/// Under a minute in "s", under an hour in "min", then in "h" with a decimal.
Quantity quantityOfSeconds(double seconds);

} // namespace ringside
