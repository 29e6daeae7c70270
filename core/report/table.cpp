// SPDX-License-Identifier: MIT
#include "core/report/table.h"

#include "core/report/comparedkind.h"
#include "core/report/differences.h"

namespace ringside::report {

Table summaryTable(const Comparison& comparison, const FigureRequest& request, const NumberStyle& style)
{
    return comparison.groups.empty() ? Table()
                                     : comparison.kind->table(comparison, layoutFor(comparison, request), style);
}

std::string TableCell::text() const
{
    std::string text = words;
    if (!amount.empty())
        text += ", " + amount;
    if (!differs.empty())
        text += ", " + differsToo(differs);
    return text;
}

} // namespace ringside::report
