// SPDX-License-Identifier: MIT
#include "core/protocol/sample.h"

#include "core/protocol/names.h"

#include <numeric>

namespace ringside {

std::string_view nameOf(Phase phase)
{
    switch (phase) {
    case Phase::inputWait:
        return "input_wait";
    case Phase::h2d:
        return "h2d";
    case Phase::forward:
        return "forward";
    case Phase::backward:
        return "backward";
    case Phase::commExposed:
        return "comm_exposed";
    case Phase::update:
        return "update";
    case Phase::other:
        break;
    }
    return "other";
}

std::optional<Phase> phaseFromName(std::string_view name)
{
    return valueNamed(name, kPhases);
}

std::int64_t Sample::lengthNs() const
{
    return std::accumulate(phases.begin(), phases.end(), std::int64_t{0});
}

} // namespace ringside
