// SPDX-License-Identifier: GPL-3.0-or-later
// Writes an experiment's TOML where the user chooses.
#pragma once

#include "app/session/taskthread.h"
#include "app/shell/page.h"

#include "core/spec/experiment.h"

namespace ringside {

/// Asks for the file and writes it on `thread`, which finishes work that was begun; the window reports success,
/// `failed` the error. Both are called in the thread of `parent`, which must outlive `thread`.
void exportToml(const PageContext& context, QWidget* parent, TaskThread& thread, const spec::Experiment& experiment,
                const std::function<void(const Error&)>& failed);

} // namespace ringside
