// SPDX-License-Identifier: GPL-3.0-or-later
// Carrying out an experiment while its user waits at the terminal.
#pragma once

#include "app/cli/checkedfile.h"
#include "app/cli/commands.h"
#include "core/store/rows.h"

#include <vector>

namespace ringside::cli {

struct Carried
{
    Carried(Exit status)
        : exit(status)
    {
    }

    Exit exit;                            ///< where it did not end: what was reported; else done, or damaged
    bool ended = false;                   ///< every run has
    std::vector<store::RunRow> runs = {}; ///< of the matrix, on its site, as they are stored now

    /// False where nothing was launched, now or before.
    bool hasBegun() const { return !runs.empty(); }
};

/// Saves the experiment, launches what is missing of it and shows the runs until all have ended, Ctrl+C comes or
/// contact is given up. The options' file is not read.
Carried carryOut(const Context& context, const ConductorOptions& programs, const CheckedFile& checked,
                 const RunOptions& options);

} // namespace ringside::cli
