// SPDX-License-Identifier: MIT
#include "core/report/figure.h"

#include "core/report/comparedkind.h"
#include "core/report/figurewords.h"

namespace ringside::report {

FigureData figure(const Comparison& comparison, const FigureRequest& request)
{
    FigureData figure;
    figure.kind = comparison.kind->name();
    figure.unit = comparison.kind->unitOf(comparison);
    const Layout layout = layoutFor(comparison, request);
    comparison.kind->draw(comparison, layout, figure);
    addWords(comparison, layout, figure);
    return figure;
}

} // namespace ringside::report
