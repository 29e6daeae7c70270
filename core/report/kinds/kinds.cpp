// SPDX-License-Identifier: MIT
#include "core/report/kinds/kinds.h"

#include <algorithm>
#include <array>

namespace ringside::report {

std::span<const FigureKind* const> figureKinds()
{
    static const auto all =
        std::to_array<const FigureKind*>({&kThroughput, &kSpeedup, &kEfficiency, &kPhaseStacks, &kTimeline});
    return all;
}

const FigureKind* findFigureKind(std::string_view name)
{
    const auto all = figureKinds();
    const auto found = std::ranges::find(all, name, &FigureKind::name);
    return found == all.end() ? nullptr : *found;
}

} // namespace ringside::report
