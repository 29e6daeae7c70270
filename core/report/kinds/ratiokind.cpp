// SPDX-License-Identifier: MIT
#include "core/report/figurewords.h"
#include "core/report/kinds/pointkind.h"
#include "core/stats/interval.h"

namespace ringside::report {

IntervalKind RatioKind::interval() const
{
    return {"bootstrap of the ratio of medians", stats::kConfidence};
}

std::string RatioKind::titleOf(const Comparison& drawn, const std::string& what) const
{
    const std::string scaling =
        drawn.scaling == spec::Scaling::none ? "" : fmt::format(", {} scaling", spec::nameOf(drawn.scaling));
    return fmt::format("{} of {}{}", title(), what, scaling);
}

std::string RatioKind::pointInCaption(const std::string& runs) const
{
    return fmt::format("ratio of medians over independent runs ({})", runs);
}

} // namespace ringside::report
