// SPDX-License-Identifier: MIT
// A command as its argument vector. Nothing between here and exec reads it as shell text.
#pragma once

#include <string>
#include <vector>

namespace ringside {

struct CommandLine
{
    std::vector<std::string> arguments; ///< the program first
    bool operator==(const CommandLine&) const = default;
};

} // namespace ringside
