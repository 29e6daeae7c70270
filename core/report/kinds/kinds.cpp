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

Result<Comparison> anyComparison(const MeasuredExperiment& measured, CompareRequest request)
{
    request.kind = &kThroughput;
    if (auto comparison = compare(measured.runs, request))
        return comparison;
    request.kind = &kPhaseStacks;
    return compare(measured.runs, request);
}

} // namespace ringside::report
