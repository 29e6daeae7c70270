// SPDX-License-Identifier: MIT
#include "core/base/findprogram.h"

#include "tests/support/searchpath.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <fstream>

using namespace ringside;

TEST_CASE("a program is what may be executed, in a folder of PATH or where its path says")
{
    const test::TemporaryFolder folder;
    const std::string tool = (folder / "tool").string();
    std::ofstream(tool) << "#!/bin/sh\n";
    const test::SearchPath path(folder.path().string() + ":/nowhere");
    CHECK(findProgram("tool").empty());
    CHECK(findProgram(tool).empty());
    fs::permissions(tool, fs::perms::owner_all);
    CHECK(findProgram("tool") == tool);
    CHECK(findProgram(tool) == tool);
    CHECK(findProgram("other").empty());
    CHECK_FALSE(isExecutable(folder.path()));
    CHECK(findProgram(folder.path().string()).empty());
}
