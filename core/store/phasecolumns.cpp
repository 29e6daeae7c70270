// SPDX-License-Identifier: MIT
#include "core/store/phasecolumns.h"

#include "core/protocol/sample.h"

#include <fmt/format.h>

namespace ringside::store {

std::string forEachPhase(std::string_view pattern, std::string_view separator)
{
    std::string sql;
    for (const Phase phase : kPhases) {
        sql += sql.empty() ? "" : separator;
        sql += fmt::format(fmt::runtime(pattern), fmt::format("{}_ns", nameOf(phase)));
    }
    return sql;
}

std::string lengthOf(std::string_view table)
{
    return forEachPhase(fmt::format("{}.{{}}", table), " + ");
}

std::string endOf(std::string_view table)
{
    return fmt::format("{}.start_ns + {}", table, lengthOf(table));
}

} // namespace ringside::store
