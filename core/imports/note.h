// SPDX-License-Identifier: MIT
// Something that is to be said of a log: a code and what it is about, so that it can be stored, and each person reads
// it in their own language. Sentences are made here, where a note is shown. Pure.
#pragma once

#include "core/logs/content.h"
#include "core/protocol/names.h"
#include "core/store/imports.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::imports {

enum class Gravity
{
    info, ///< how it was read
    warn, ///< numbers are not used, or not what they seem
    block ///< nothing of it can be stored
};
constexpr auto namesOf(Gravity)
{
    return std::to_array<std::string_view>({"info", "warn", "block"});
}
using ringside::nameOf;

/// Codes of notes about a whole log, beside its findings. `count` and `word` of the note are named behind it.
enum class NoteCode
{
    runsLeftOut,    ///< count: without a rate that can be used
    itemsAre,       ///< word: of LineItems
    filesAsRanks,   ///< count: of files that are read as one run's
    otherForm,      ///< word: another program that some lines could be from
    otherRecords,   ///< count: of lines that are from another program; word: which
    longLines,      ///< count: that were cut
    timesOfSlowest, ///< rank; count: of times in a row, of which the last are in place
    timesAreMeans,  ///< over ranks; count: as above
    // Nothing of the log can be stored:
    empty,
    packed, ///< word: the program that unpacks it
    utf16,
    unknownForm,      ///< of every line
    unknownBeginning, ///< count: of MiB, behind which nothing was read
    noLines,          ///< word: of the form that it was to have
    noTables,         ///< word: the program that printed it
    noRates           ///< word: the program that printed it
};
/// In files, beside those of logs::FindingCode: never reused.
constexpr auto namesOf(NoteCode)
{
    return std::to_array<std::string_view>({"runs_left_out", "items_are", "files_as_ranks", "other_form",
                                            "other_records", "long_lines", "times_of_slowest", "times_are_means",
                                            "empty", "packed", "utf16", "unknown_form", "unknown_beginning", "no_lines",
                                            "no_tables", "no_rates"});
}

struct Note
{
    Gravity gravity = Gravity::info;
    std::string file;                ///< empty: the whole log
    std::uint64_t line = 0;          ///< 0: no one line
    std::string code;                ///< a name of logs::FindingCode or of NoteCode
    double printed = 0, against = 0; ///< as a finding has them
    std::uint64_t count = 1;         ///< of lines with the same finding, or of what the code says
    std::string word = {};        ///< of modelUnused, the model that the user said; of modelsDiffer, that of this file
    std::string againstWord = {}; ///< of these, the one that is used

    /// One sentence in the user's language. A code of a later version is shown as it is.
    std::string text() const;
};

store::ImportNote toStore(const Note& note);
/// The sentence of a note that was stored, in the user's language; of a version that knew no codes in English.
std::string sentenceOf(const store::ImportNote& note);

} // namespace ringside::imports
