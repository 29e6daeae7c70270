// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of one experiment as Monitor lists them.
#pragma once

#include "core/store/database.h"
#include "core/store/rows.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside {

/// The experiment that runs, else the one that changed last; nullopt: none has runs. Blocking, as is read().
Result<std::optional<std::string>> experimentToShow(const store::Database& db);

struct ExperimentRuns
{
    std::vector<store::RunRow> rows;        ///< of its matrix, and trials
    std::map<CampaignId, std::string> jobs; ///< as the scheduler calls them, of what has not ended
    bool held = false;

    static Result<ExperimentRuns> read(const store::Database& db, const std::string& experiment);
    /// Those of `rows` that read() would find.
    static std::vector<store::RunRow> listed(const std::vector<store::RunRow>& rows, const std::string& experiment);
};

} // namespace ringside
