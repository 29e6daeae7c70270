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
    std::vector<int> numbers;            ///< of the runs
    std::vector<std::string> known = {}; ///< files of folders that had been imported before, and were passed over
};

/// For each log of which a file was imported before, or is the same as another one's: what storeImport() would say.
Result<std::vector<Error>> importedBefore(const store::Database& db, const Previews& previews);

/// All of it or nothing, and on disk when it returns. An experiment that imports made gets factors and fixed settings
/// from all of its runs; one that a person wrote or changed, or that has runs of its own, stays as it is. Fails with
/// usage where something is missing or a log holds nothing, and with exists for a file that was imported before, under
/// whatever name.
Result<Imported> storeImport(store::Database& db, const Import& import);

} // namespace ringside::imports
