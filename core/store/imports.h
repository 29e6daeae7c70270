// SPDX-License-Identifier: MIT
// Runs that were read from logs (core/imports): what they were read from, and the way into the store.
#pragma once

#include "core/store/edits.h"
#include "core/store/ingest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::store {

/// Something that was found in a log: a code and what it is about. Sentences are made where they are shown
/// (core/imports/note.h).
struct ImportNote
{
    std::string severity; ///< "info", "warn"
    std::string file;     ///< empty: of the whole log
    std::uint64_t line = 0;
    std::string code;                ///< of core/imports; empty: `text` is all that is known
    double printed = 0, against = 0; ///< numbers that contradict each other
    std::uint64_t count = 1;
    std::string word = {}, againstWord = {};
    std::string text = {}; ///< English, of a version that knew no codes
    bool operator==(const ImportNote&) const = default;
};

/// A file that a run was read from.
struct ImportedFile
{
    std::optional<int> rank; ///< that printed it; nullopt: more than one
    std::string path;        ///< as it was named, on this computer
    std::string sha256;
    std::uint64_t bytes = 0, lines = 0, linesRead = 0;
    std::string format, title; ///< "mxnet", "MXNet"
    std::string versions;      ///< that print such lines; empty: not known
    std::string readBy;        ///< version of Ringside
    std::vector<ImportNote> notes;
    bool operator==(const ImportedFile&) const = default;
};

struct ImportedLine
{
    int rank = 0;
    std::uint32_t seq = 0;
    std::uint64_t line = 0; ///< from 1
};

struct ImportedRun
{
    RunId id;
    Cell cell;
    int iterations = 1; ///< warm-up included
    int warmup = 0;
    std::vector<SpoolArrival> ranks = {}; ///< attempt 1; of no campaign
    std::vector<ImportedLine> lines = {};
    std::vector<ImportedFile> files = {};
    std::string facts = {}; ///< valid JSON, of a calibration; empty: none
};

/// Adds runs to an experiment: all of them or nothing, and on disk when this returns. `edit`: what changes of it, or
/// that it is new. Returns their numbers. Follow it by refreshSummaries.
Result<std::vector<int>> addImports(Database& db, const std::string& experiment,
                                    const std::optional<ExperimentEdit>& edit, const std::vector<ImportedRun>& runs);

/// The experiment that a file has been imported to.
struct KnownImport
{
    std::string experiment;
    int run = 0;
    std::string path;
};
Result<std::optional<KnownImport>> importOf(const Database& db, const std::string& sha256);

/// A file that a run was read from, with lines that its samples or times are from: other files of a log may be alike.
struct ImportedContent
{
    std::string sha256;
    std::uint64_t bytes = 0, lines = 0;
};
/// Those that were read by this form, each once.
Result<std::vector<ImportedContent>> importedContents(const Database& db, const std::string& form);

/// In the order in which they were named; none of a run that was not imported.
Result<std::vector<ImportedFile>> importedFiles(const Database& db, const RunId& run);

} // namespace ringside::store
