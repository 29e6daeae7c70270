// SPDX-License-Identifier: MIT
#include "tests/support/tinypackage.h"

#include "core/base/child.h"
#include "tests/support/built.h"

namespace ringside::test {

bool makeTinyPackage(const fs::path& folder, TinyPackage kind, const fs::path& hold, const std::string& version)
{
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    const auto child = startChild(
        {.arguments = {"python3", (sourceFolder() / "tests/support/tinypackage.py").string(), folder.string(), version,
                       kind == TinyPackage::wheel ? "wheel" : "source", hold.string()},
         .errors = 2});
    return child && awaitChild(*child) == 0;
}

} // namespace ringside::test
