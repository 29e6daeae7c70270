// SPDX-License-Identifier: MIT
// The forms of logs that adapters' tables describe, and those of tables of links, for the readers of core/logs. Pure.
#pragma once

#include "core/adapters/adapterbook.h"
#include "core/logs/format.h"

#include <vector>

namespace ringside::adapters {

/// For an adapter that readAdapter() has accepted, so that its patterns are right. Has no lines where the table has
/// none.
logs::LogFormat logFormatOf(const Adapter& adapter);

/// Those of all adapters that have lines, in the order of their names, and behind them those of links.
std::vector<logs::LogFormat> logFormatsOf(const AdapterBook& book);
/// Those that Ringside brings, in the order of their names.
const std::vector<logs::LogFormat>& linkFormats();
/// logFormatsOf() usersAdapters(): they live as long as the program. Any thread.
const std::vector<logs::LogFormat>& usersLogFormats();

} // namespace ringside::adapters
