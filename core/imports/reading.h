// SPDX-License-Identifier: MIT
// Reads the files of a log: recognises its form, splits it into lines, and computes its SHA-256 on the way. Memory is
// bounded whatever the files hold.
#pragma once

#include "core/imports/logfiles.h"
#include "core/imports/otherforms.h"
#include "core/logs/content.h"
#include "core/logs/format.h"

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace ringside::imports {

/// A file that has no line of any form in so many bytes is none of ours.
inline constexpr std::uint64_t kMostPrelude = 64u << 20;

struct ReadFile
{
    LogFile file;
    std::string sha256; ///< of all its bytes; empty where reading stopped before its end
    std::uint64_t bytes = 0;
    std::uint64_t lines = 0;
    std::uint64_t linesRead = 0;         ///< that the form knows
    bool tellsWork = false;              ///< one of these is a record, a summary or a row of a table
    std::uint64_t cutLines = 0;          ///< longer than a line is
    std::optional<OtherPart> other = {}; ///< a part of it that another program printed
    std::string_view unpacker = {};      ///< the program that unpacks it, where it begins as a compressed file
    bool isUtf16 = false;                ///< by its byte order mark
};

/// A table of links, and the file that it stands in.
struct FileTable
{
    logs::LinkTable table;
    std::size_t file = 0;
};

struct ReadLog
{
    std::vector<ReadFile> files;
    fs::path folder = {};                    ///< in which all of them lie, at whatever depth; empty: there is none
    bool wasNamed = true;                    ///< as of LogSource
    const logs::LogFormat* format = nullptr; ///< null: no form knows a line of it
    const logs::LogFormat* second = nullptr; ///< another one that knows some
    std::vector<logs::LogRun> runs;          ///< of all files together
    std::vector<FileTable> tables = {};      ///< of a benchmark of links, in place of runs
    std::vector<VersionRange> versions = {}; ///< of the system, that print lines which were read; each once
    std::vector<logs::Finding> findings;
};

struct ReadRequest
{
    std::span<const logs::LogFormat> formats;        ///< outlive what is read
    const logs::LogFormat* as = nullptr;             ///< one of them, which the log has; null: it is recognised
    logs::LogSettings given = {};                    ///< what the user says
    std::stop_token stop = {};                       ///< ends with cancelled
    std::function<void(std::uint64_t)> onBytes = {}; ///< so many more have been read; on the calling thread
};

/// Blocking. Errors: as of openRegularFile, and cancelled.
Result<ReadLog> readLog(const LogSource& source, const ReadRequest& request);

} // namespace ringside::imports
