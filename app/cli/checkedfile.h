// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment file as `check` and `run` read it, judged for the site where it shall run.
#pragma once

#include "core/base/files.h"
#include "core/sites/workerfeatures.h"
#include "core/spec/toml.h"

#include <string>

namespace ringside::cli {

struct CheckedFile
{
    spec::ParseOutcome outcome; ///< all findings, those about this computer's worker included if it shall run here
    std::string site;           ///< where it shall run
    /// The error if something blocks: the file is wrong (usage), or only the worker cannot be used (unavailable).
    ErrorCode refusal = ErrorCode::usage;
};

/// The text of an experiment, judged for the site named; empty: as it says.
CheckedFile checkText(const std::string& text, const std::string& site, const fs::path& worker, Asking asking);

/// `site` is the wish of the command line; empty: as the file says. Another site than this computer has to be
/// described; more is not known of it before it is asked. Blocking while the worker is asked for its features. A file
/// that cannot be read or is no experiment by its size is ErrorCode::usage.
///
/// The small form of an experiment (core/spec/smallform.h) is always this computer's.
Result<CheckedFile> readChecked(const std::string& file, const std::string& site, const fs::path& worker, Asking asking,
                                bool isSmall = false);

/// The same for what is about to be launched: findings that do not block go to standard error, one that does is the
/// error.
Result<CheckedFile> readForLaunch(const std::string& file, const std::string& site, const fs::path& worker,
                                  bool isSmall = false);

} // namespace ringside::cli
