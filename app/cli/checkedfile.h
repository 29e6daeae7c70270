// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment file as `check` and `run` read it, judged for this computer.
#pragma once

#include "core/base/files.h"
#include "core/spec/toml.h"

#include <string>

namespace ringside::cli {

struct CheckedFile
{
    spec::ParseOutcome outcome; ///< all findings, those about this computer's worker included
    /// What to call it if something blocks: the file is wrong (usage), or only the worker cannot be used (unavailable).
    ErrorCode refusal = ErrorCode::usage;
};

/// Blocking while the worker is asked for its features. A file that cannot be read or is no experiment by its size is
/// ErrorCode::usage.
Result<CheckedFile> readChecked(const std::string& file, const fs::path& worker);

} // namespace ringside::cli
