// SPDX-License-Identifier: MIT
#include "core/protocol/sample.h"

#include <numeric>

namespace ringside {

std::int64_t Sample::lengthNs() const
{
    return std::accumulate(phases.begin(), phases.end(), std::int64_t{0});
}

} // namespace ringside
