// SPDX-License-Identifier: MIT
#include "core/base/quantity.h"

#include <cstddef>
#include <iterator>

namespace ringside {

Quantity quantityOfBytes(std::uint64_t bytes)
{
    static constexpr std::string_view kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < std::size(kUnits)) {
        value /= 1000;
        ++unit;
    }
    const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return {value, decimals, kUnits[unit]};
}

Quantity quantityOfSeconds(double seconds)
{
    if (seconds < 59.5)
        return {seconds, 0, "s"};
    if (seconds < 3570)
        return {seconds / 60, 0, "min"};
    return {seconds / 3600, 1, "h"};
}

} // namespace ringside
