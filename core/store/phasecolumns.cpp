// SPDX-License-Identifier: MIT
#include "core/store/phasecolumns.h"

#include "core/base/sequences.h"
#include "core/protocol/phase.h"

#include <fmt/format.h>

namespace ringside::store {

std::string forEachPhase(std::string_view pattern, std::string_view separator)
{
    std::string sql;
    for (std::size_t i = 0; i < kPhaseCount; ++i) { // as in PhaseTimes, whatever the order in which they are shown
        sql += sql.empty() ? "" : separator;
        sql += fmt::format(fmt::runtime(pattern), fmt::format("{}_ns", nameOf(static_cast<Phase>(i))));
    }
    return sql;
}

std::string toldByAll(std::string_view table)
{
    return joined(kPhases, " | ", [&](Phase phase) { // min() passes NULLs over
        return fmt::format("min({}.told & {})", table, PhaseSet::bitOf(phase));
    });
}

std::string lengthOf(std::string_view table)
{
    return forEachPhase(fmt::format("{}.{{}}", table), " + ");
}

std::string firstOf(std::string_view table)
{
    return fmt::format("{0}.seq + 1 - coalesce({0}.iterations, 1)", table);
}

std::string endOf(std::string_view table)
{
    return fmt::format("{}.start_ns + {}", table, lengthOf(table));
}

} // namespace ringside::store
