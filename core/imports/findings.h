// SPDX-License-Identifier: MIT
// All that is to be said of logs: what was found in them, and how they were read. Sentences are in the user's language.
// Pure.
#pragma once

#include "core/imports/note.h"
#include "core/imports/preview.h"

#include <string>
#include <vector>

namespace ringside::imports {

/// All that is to be said of a log, the gravest first: its findings and those of its runs, what was left out, and why
/// nothing of it can be stored. What several tables of links have in common is said once.
std::vector<Note> notesOf(const LogPreview& log);
/// The same, of its tables of links only of this one.
std::vector<Note> notesOf(const LogPreview& log, const LinkPreview& link);
/// Findings of this run alone.
std::vector<Note> notesOf(const LogPreview& log, const RunPreview& run);
/// The file's path below the folder in which all files of the log lie, such as "rank.0/stdout"; its name where they lie
/// in one folder, and its path where there is no such folder.
std::string nameIn(const LogPreview& log, const ReadFile& file);
/// The name of its first file.
std::string nameOf(const LogPreview& log);
/// Returns the versions of the system that printed it, by the lines that were read: the narrowest of their ranges.
/// Empty: they do not show it, or contradict each other.
std::string versionsOf(const LogPreview& log);
/// The program's own summaries of the run: of each scope the last, which is about most of it.
std::vector<logs::LogClaim> summariesOf(const LogPreview& log, const RunPreview& run);
/// "The log's own summary: 3197.6 items/s of all ranks".
std::string summaryText(const logs::LogClaim& summary);
/// "items/s of all 4 ranks", "of one of 4 ranks": whose work the figure counts.
std::string scopeText(const RunPreview& run);

} // namespace ringside::imports
