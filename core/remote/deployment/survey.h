// SPDX-License-Identifier: MIT
// A look at a site before anything of Ringside runs there: what it is, whether a folder can hold and run a program, and
// which other folders could.
#pragma once

#include "core/remote/host.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::deployment {

/// The answers of the account's shell. All texts are plain text.
struct Survey
{
    std::string os;    ///< `uname -s`: "Linux"
    std::string arch;  ///< `uname -m`: "x86_64"
    std::string shell; ///< the login shell
    std::string home;  ///< $HOME there
    std::string mount; ///< where the file system of the folder is mounted
    std::optional<std::uint64_t> freeBytes;
    std::optional<std::uint64_t>
        freeFiles;                       ///< how many more files fit; nothing where the file system has no such limit
    std::string obstacle;                ///< why a file cannot be written into the folder; empty if it can
    std::string noExecution;             ///< why a file there cannot be run; empty if it can
    std::string presentHash;             ///< SHA-256 of the program that is there already; empty if there is none
    bool zstd = false;                   ///< the command is there
    std::vector<std::string> candidates; ///< other folders of this user that can hold and run programs

    /// "linux-x86_64"
    std::string system() const;
};

/// The paths to look at. `folder` and `program` are absolute or relative to $HOME there.
struct SurveyRequest
{
    std::string folder;  ///< made if it is not there
    std::string program; ///< of which the hash is computed; empty: none
};

/// One `sh -s`. Blocking, at most 30 s of silence. Fails with unavailable if the account's shell runs no commands, and
/// says what it printed instead; what a shell prints before is skipped.
Result<Survey> survey(Host& host, const SurveyRequest& request);

/// Returns why a program of this size cannot be put there and run, with what to do about it; nothing if it can.
std::optional<Error> hindrance(const Survey& survey, const std::string& folder, const std::string& host,
                               std::uint64_t neededBytes);

} // namespace ringside::deployment
