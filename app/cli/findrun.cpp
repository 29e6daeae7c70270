// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/findrun.h"

#include "core/base/parsenumber.h"
#include "core/base/text.h"
#include "core/store/queries.h"

namespace ringside::cli {

Result<store::RunRow> findRun(const Context& context, const store::Database& db, const std::string& text)
{
    std::optional<store::RunRow> found;
    if (const auto number = parseNumber<int>(text)) {
        TRY_ASSIGN(found, store::runByNumber(db, *number));
    } else if (const auto id = RunId::parse(text)) {
        TRY_ASSIGN(found, store::runById(db, *id));
    }
    if (!found)
        return fail(ErrorCode::notFound, fmt::format("There is no run “{}”.", plainText(text)),
                    fmt::format("“{}” lists them; use a number or an id.", commandLine(context, "runs")));
    return *std::move(found);
}

} // namespace ringside::cli
