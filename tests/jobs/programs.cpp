// SPDX-License-Identifier: MIT
#include "core/jobs/programs.h"

#include "core/base/environment.h"
#include "tests/support/temporaryfolder.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>

using namespace ringside;

TEST_CASE("a program is what may be executed, in a folder of PATH")
{
    const test::TemporaryFolder folder;
    std::ofstream(folder / "tool") << "#!/bin/sh\n";
    const std::string before = environment("PATH");
    ::setenv("PATH", (folder.path().string() + ":/nowhere").c_str(), 1);
    CHECK_FALSE(jobs::isInPath("tool"));
    fs::permissions(folder / "tool", fs::perms::owner_all);
    CHECK(jobs::isInPath("tool"));
    CHECK_FALSE(jobs::isInPath("other"));
    ::setenv("PATH", before.c_str(), 1);
    CHECK_FALSE(jobs::isExecutable(folder.path()));
}
