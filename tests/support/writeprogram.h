// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/files.h"

#include <doctest/doctest.h>
#include <string>

namespace ringside::test {

/// A file that may be executed; a script begins with its "#!". Returns the path.
inline fs::path writeProgram(const fs::path& file, const std::string& content)
{
    REQUIRE(writeFileAtomically(file, content));
    fs::permissions(file, fs::perms::owner_all);
    return file;
}

} // namespace ringside::test
