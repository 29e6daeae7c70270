// SPDX-License-Identifier: MIT
// The Python that a system is installed with: found where people have them, in the range that the system needs.
#pragma once

#include "agent/builder/process.h"
#include "core/protocol/versionrange.h"

#include <string>

namespace ringside::engines {

struct Interpreter
{
    fs::path program;
    std::string version; ///< "3.11.2"
};

/// `wanted` alone, if given. Else the latest in the range of those in PATH, and of those of pyenv and conda in the
/// user's home; one that the folder `wheels`, if given, holds compiled packages for comes first. Fails with
/// unavailable, what was found, and what to do. Blocking for some tenths of a second.
Result<Interpreter> findInterpreter(const VersionRange& range, const std::string& wanted, const fs::path& wheels,
                                    const builder::Deadline& deadline);

} // namespace ringside::engines
