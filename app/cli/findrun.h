// SPDX-License-Identifier: GPL-3.0-or-later
// A run as people name it on the command line.
#pragma once

#include "app/cli/context.h"
#include "core/store/database.h"
#include "core/store/rows.h"

#include <string>

namespace ringside::cli {

/// The run with this number or id; nothing else names one. notFound if there is none.
Result<store::RunRow> findRun(const Context& context, const store::Database& db, const std::string& text);

} // namespace ringside::cli
