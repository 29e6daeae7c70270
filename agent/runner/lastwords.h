// SPDX-License-Identifier: MIT
// The end of a log, for people: what a process printed before it ended. Bytes of any kind come out as plain text.
#pragma once

#include "core/base/files.h"

#include <string>

namespace ringside::runner {

inline constexpr std::size_t kMaxLauncherText = 600;
/// A reason is a sentence or two in a list, as what ran out of memory, and which batch fits; the log has the rest.
inline constexpr std::size_t kMaxLastLine = 300;

/// At most the last kMaxLauncherText bytes; empty if there are none.
std::string lastWords(const fs::path& log);

/// Returns why a launcher did not start ranks: what ssh says of a host, if it does, since mpirun then goes on with all
/// that might have been; else the last words.
std::string launcherWords(const fs::path& log);

/// The last line that is not blank and no record, nor about the load of GPUs, at most kMaxLastLine bytes of it, without
/// "rank N: " before it. Of torchrun, whose last words are a table: which of its ranks failed first, by which code.
std::string lastLine(const fs::path& log);

} // namespace ringside::runner
