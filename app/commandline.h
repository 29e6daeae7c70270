// SPDX-License-Identifier: GPL-3.0-or-later
// ringside [--store DB] [--example | --run FILE | FILE]
#pragma once

#include "app/window/application.h"

#include <optional>

namespace ringside {

/// The result of reading the command line: start, or leave with this exit code (help and errors were printed).
struct StartRequest
{
    StartOptions options;
    std::optional<int> exitCode;
};

StartRequest readCommandLine(int argc, char** argv);

} // namespace ringside
