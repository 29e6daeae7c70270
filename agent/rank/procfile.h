// SPDX-License-Identifier: MIT
// Short files of /proc, read in whole.
#pragma once

#include "core/base/descriptor.h"
#include "core/base/files.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace ringside {

/// The result of one read() of at most 64 KiB; empty if the file cannot be read. The kernel fills most files of /proc
/// consistently only within one read().
std::string readProc(const fs::path& path);

/// A file that is read again and again, and stays open for it: opening costs a third of reading.
class ProcFile
{
public:
    explicit ProcFile(const fs::path& path);

    /// As readProc: what it holds now.
    std::string read() const;

private:
    Descriptor m_file;
};

/// The fields of /proc/<pid>/stat (proc(5)) that the samplers need.
struct ProcessStat
{
    std::string_view name; ///< program name, cut to 15 characters by the kernel; points into the parsed text
    int parent = 0;
    int session = 0;
};

/// The name may itself hold spaces and parentheses. nullopt if the text is not of that form.
std::optional<ProcessStat> parseProcessStat(std::string_view text);

/// Returns true if the process is this ancestor, or descends from it through parents that still live.
bool isOrDescendsFrom(pid_t process, pid_t ancestor);

/// The number after `key` at the start of a line, as in "MemTotal:  16303420 kB"; 0 if there is none.
std::uint64_t numberAfter(std::string_view text, std::string_view key);

/// Splits off the next word of `rest` as a number; 0 if it is none.
std::uint64_t takeNumber(std::string_view& rest);

} // namespace ringside
