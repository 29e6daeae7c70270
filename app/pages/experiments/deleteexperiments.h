// SPDX-License-Identifier: GPL-3.0-or-later
// Asks once before experiments are deleted, with the number of their runs and bytes; archiving is the default.
#pragma once

#include "app/session/jobtracker.h"
#include "app/shell/shell.h"

#include "core/store/rows.h"

class QWidget;

namespace ringside {

struct DeleteRequest
{
    std::vector<store::ExperimentRow> experiments; ///< at least one
    std::function<void()> archive, remove;
    std::function<void(const Error&)> failed; ///< their runs cannot be counted, so nothing is asked
};

/// Counts on the query thread, then asks. `tracker` belongs to the caller.
void askToDelete(const PageContext& context, QWidget* parent, JobTracker& tracker, const DeleteRequest& request);

} // namespace ringside
