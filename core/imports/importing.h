// SPDX-License-Identifier: MIT
// Logs that were read, as runs of an experiment. Blocking.
#pragma once

#include "core/imports/preview.h"
#include "core/store/database.h"

#include <string>
#include <vector>

namespace ringside::imports {

struct Import
{
    std::string experiment; ///< made if it is not there; empty: a new one, named after the first log
    Previews previews;
};

struct Imported
{
    std::string experiment;
    std::vector<int> numbers;              ///< of the runs
    std::vector<std::string> leftOut = {}; ///< says of each log or run that was not stored why; in the user's language:
                                           ///< no rate of it can be used, or it is of a folder and was imported before
};

/// Fails with usage where no experiment of this name is in the store, if there is one, and none can be called so
/// (spec::checkName). Empty: storeImport() names it.
Result<void> checkTarget(const store::Database* db, const std::string& experiment);

/// For each log of which a file was imported before, or is the same as another one's: what storeImport() would say. A
/// log without a usable rate is none of these, and a file without a line that was read counts for nothing.
Result<std::vector<Error>> importedBefore(const store::Database& db, const Previews& previews);

/// All of it or nothing, and on disk when it returns. An experiment that imports made gets factors and fixed settings
/// from all of its runs; one that a person wrote or changed, or that has runs of its own, stays as it is. Runs without
/// a usable rate are left out, and so are logs of folders that were imported before. Fails with usage where something
/// is missing, as checkTarget(), with exists for a named file that was imported before, under whatever name, and where
/// nothing is left: with damaged where a log has no usable rate, else with exists. Follow it by
/// store::refreshSummaries, which makes the runs' rates, and may make those of others, too.
Result<Imported> storeImport(store::Database& db, const Import& import);

} // namespace ringside::imports
