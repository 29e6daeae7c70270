// SPDX-License-Identifier: MIT
// Times as schedulers and the files of sites write them: [days-]hours:minutes:seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::jobs {

/// "1-02:03:04", "02:03:04", "3:04" and "45" (minutes:seconds and seconds, as lists of jobs have them); nullopt for
/// "UNLIMITED", "INVALID" and everything else.
std::optional<std::int64_t> parseDuration(std::string_view text);

/// The limit of a job as people type it for schedulers (as --time in their manuals), so that it means the same here:
/// "90" and "90:00" are minutes, "1-12" a day and twelve hours, "1-12:30", "1-12:30:00"; nullopt for everything else.
std::optional<std::int64_t> parseTimeLimit(std::string_view text);

/// Rounded up to minutes, which is as exactly as schedulers accept it.
std::string formatDuration(std::int64_t seconds);

} // namespace ringside::jobs
