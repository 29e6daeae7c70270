// SPDX-License-Identifier: MIT
#include "core/sites/localsite.h"

#include "core/jobs/launchers/table.h"
#include "tests/support/searchpath.h"
#include "tests/support/temporaryfolder.h"
#include "tests/support/writeprogram.h"

#include <doctest/doctest.h>

using namespace ringside;

TEST_CASE("a check of this computer goes by the launcher that a launch plans")
{
    const test::TemporaryFolder folder;
    const test::SearchPath path(folder.path());
    const fs::path broken = test::writeProgram(folder / "worker", "#!/bin/sh\nexit 1\n");
    const auto planned = [&] { return readyLocalSite({folder.path(), folder / "agent", broken}).site.launcher; };

    CHECK(planned() == jobs::kLauncherWithoutMpi);
    CHECK(localSite(broken).mpirun == false);
    CHECK(localSite(broken).direct); // the worker is to blame, not a missing mpirun

    test::writeProgram(folder / "mpirun", "#!/bin/sh\necho mpirun\n");
    CHECK(planned() == jobs::kLauncherOfMpi);
    CHECK(localSite(broken).mpirun == true);
    CHECK_FALSE(localSite(broken).direct);
}
