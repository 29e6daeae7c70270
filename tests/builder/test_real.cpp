// SPDX-License-Identifier: MIT
// The source bundle alone, in an empty folder, becomes a worker that passes its self-test. Where namespaces can be
// made, the system's own copies of the bundled libraries are hidden meanwhile.
#include "agent/builder/process.h"
#include "agent/builder/resources.h"
#include "core/base/environment.h"
#include "tests/support/built.h"
#include "tests/support/smalldisk.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <unistd.h>

using namespace ringside;
using namespace ringside::builder;

namespace {

constexpr const char* kHide = R"sh(for folder in fmt nlohmann tl CLI; do
    if [ -d "/usr/include/$folder" ]; then mount -t tmpfs none "/usr/include/$folder"; fi
done
exec "$@")sh";

bool canHide()
{
    const auto tried =
        run({"unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"}, Deadline::in(std::chrono::seconds(20)));
    return ::geteuid() == 0 && tried && tried->good();
}

/// As installers/common.sh says.
std::string torchFolder()
{
    if (const char* torch = environment("RINGSIDE_TORCH"))
        return torch;
    const fs::path data = *dataFolder();
    std::error_code ignored;
    const bool isFull = fs::exists(data / "libtorch-2.11.0-full/.complete", ignored);
    return (data / (isFull ? "libtorch-2.11.0-full" : "libtorch-2.11.0-cpu")).string();
}

} // namespace

TEST_CASE("the bundle becomes a worker that computes correctly")
{
    const test::TemporaryFolder root;
    const test::SmallDisk disk(root.path(), static_cast<int>(kBuildBytes / 1024) + 1024);
    if (!disk.problem().empty())
        MESSAGE("skipped: no disk of the size that a build is said to need: ", disk.problem());
    std::vector<std::string> command;
    if (canHide())
        command = {"unshare", "-m", "sh", "-c", kHide, "sh"};
    else
        MESSAGE("skipped: no namespaces here, so the system's headers stay visible");
    const std::vector<std::string> build{test::builtProgram("ringside-agent"),
                                         "build",
                                         "--root",
                                         root.path().string(),
                                         "--source",
                                         test::builtPrograms() / "../share/ringside/worker-source.tar.gz"};
    command.insert(command.end(), build.begin(), build.end());
    command.insert(command.end(), {"--torch", torchFolder()});
    std::string last;
    const auto ended = run(command, Deadline::in(std::chrono::seconds(2300)),
                           {.withErrors = true, .onLine = [&](std::string_view line) { last = line; }});
    REQUIRE(ended);
    REQUIRE_MESSAGE(ended->good(), lastLines(ended->output, 30));
    REQUIRE(last.starts_with("done 100 "));
    const std::string worker = last.substr(std::string("done 100 ").size());
    const auto tested = run({worker, "selftest"}, Deadline::in(std::chrono::seconds(300)));
    REQUIRE(tested);
    CHECK_MESSAGE(tested->good(), lastLines(tested->output, 30));
}
