// SPDX-License-Identifier: MIT
#include "core/sites/localsite.h"

#include "core/base/environment.h"
#include "core/jobs/launchers/table.h"
#include "tests/support/temporaryfolder.h"

#include <cstdlib>
#include <doctest/doctest.h>

using namespace ringside;

namespace {

class OnlyPath
{
public:
    explicit OnlyPath(const fs::path& folder)
        : m_before(environment("PATH"))
    {
        ::setenv("PATH", folder.c_str(), 1);
    }
    ~OnlyPath() { ::setenv("PATH", m_before.c_str(), 1); }

private:
    std::string m_before;
};

fs::path writeProgram(const fs::path& path, const std::string& lines)
{
    REQUIRE(writeFileAtomically(path, "#!/bin/sh\n" + lines));
    fs::permissions(path, fs::perms::owner_all);
    return path;
}

} // namespace

TEST_CASE("a check of this computer goes by the launcher that a launch plans")
{
    const test::TemporaryFolder folder;
    const OnlyPath path(folder.path());
    const fs::path broken = writeProgram(folder / "worker", "exit 1\n");
    const auto planned = [&] { return readyLocalSite({folder.path(), folder / "agent", broken}).site.launcher; };

    CHECK(planned() == jobs::kLauncherWithoutMpi);
    CHECK(localSite(broken).mpirun == false);
    CHECK(localSite(broken).direct); // the worker is to blame, not a missing mpirun

    writeProgram(folder / "mpirun", "echo mpirun\n");
    CHECK(planned() == jobs::kLauncherOfMpi);
    CHECK(localSite(broken).mpirun == true);
    CHECK_FALSE(localSite(broken).direct);
}
