// SPDX-License-Identifier: MIT
#include "agent/runner/limits.h"

#include "core/base/environment.h"
#include "core/base/files.h"

#include <algorithm>
#include <cstdlib>

namespace ringside::runner {

namespace {

milliseconds times(milliseconds limit, double factor)
{
    return std::max(milliseconds(1), milliseconds(static_cast<milliseconds::rep>(limit.count() * factor)));
}

} // namespace

Limits Limits::scaled(double factor) const
{
    return {times(look, factor),      times(silence, factor), times(startUp, factor), times(preparing, factor),
            times(removing, factor),  times(hung, factor),    times(others, factor),  times(grace, factor),
            times(lostGrace, factor), times(dying, factor),   times(journal, factor), times(claim, factor)};
}

Limits Limits::hungAfter(std::chrono::seconds limit) const
{
    Limits limits = *this;
    limits.hung = times(hung, static_cast<double>(limit.count()) / kHungAfterSeconds);
    limits.startUp = std::max(startUp, limits.hung);
    return limits;
}

Limits Limits::fromEnvironment()
{
    const char* scale = environment("RINGSIDE_TEST_TIME_SCALE");
    return scale ? Limits{}.scaled(std::clamp(std::atof(scale), 0.001, 1.0)) : Limits{};
}

} // namespace ringside::runner
