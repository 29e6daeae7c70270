// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of one experiment as Monitor lists them.
#pragma once

#include "core/store/database.h"
#include "core/store/rows.h"

#include <map>
#include <string>
#include <vector>

namespace ringside {

/// The experiment that runs, else the one that changed last; empty: none has runs.
std::string experimentToShow(const std::vector<store::ExperimentRow>& experiments);

struct ExperimentRuns
{
    std::vector<store::RunRow> rows;        ///< those that are counted, and trials
    std::map<CampaignId, std::string> jobs; ///< as the scheduler calls them, of what has not ended
    bool held = false;

    /// Blocking.
    static Result<ExperimentRuns> read(const store::Database& db, const std::string& experiment);
    /// Those of `rows` that read() would find, and those that it found `before`: their end is news, too.
    static std::vector<store::RunRow> listed(const std::vector<store::RunRow>& rows, const std::string& experiment,
                                             const std::map<RunId, store::RunRow>& before);
};

} // namespace ringside
