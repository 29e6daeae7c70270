// SPDX-License-Identifier: MIT
#include "core/spec/experiment.h"

#include <algorithm>

namespace ringside::spec {

const Factor* Experiment::factor(std::string_view key) const
{
    const auto found = std::ranges::find_if(factors, [&](const Factor& f) { return f.key == key; });
    return found == factors.end() ? nullptr : &*found;
}

} // namespace ringside::spec
