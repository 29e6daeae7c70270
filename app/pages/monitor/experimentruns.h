// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of one experiment as Monitor lists them.
#pragma once

#include "core/store/database.h"
#include "core/store/rows.h"

#include <map>
#include <string>
#include <vector>

namespace ringside {

struct ExperimentRuns
{
    std::vector<store::RunRow> rows;        ///< of its matrix, and trials
    std::map<CampaignId, std::string> jobs; ///< as the scheduler calls them, of what has not ended
    bool held = false;

    /// Blocking: for the thread of the queries.
    static Result<ExperimentRuns> read(const store::Database& db, const std::string& experiment);
};

} // namespace ringside
