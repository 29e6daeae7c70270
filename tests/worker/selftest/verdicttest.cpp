// SPDX-License-Identifier: MIT
// What counts as skipped, and what as failed.
#include "agent/worker/device/devicegraph.h"
#include "agent/worker/selftest/selftest.h"
#include "core/base/files.h"
#include "tests/support/temporaryfolder.h"
#include "tests/worker/nompi.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <sys/stat.h>

using namespace ringside;
using Verdict = CheckResult::Verdict;

namespace {

/// PATH is this folder alone while it lives.
class OnlyPath
{
public:
    explicit OnlyPath(const fs::path& folder) { ::setenv("PATH", folder.c_str(), 1); }
    ~OnlyPath() { ::setenv("PATH", m_before.c_str(), 1); }
    OnlyPath(const OnlyPath&) = delete;
    OnlyPath& operator=(const OnlyPath&) = delete;

private:
    const std::string m_before = ::getenv("PATH");
};

CheckResult overMpiWith(const fs::path& folder)
{
    const OnlyPath path(folder);
    return collectiveChecks().front().run();
}

void writeProgram(const fs::path& file, const std::string& content, mode_t mode)
{
    REQUIRE(writeFileAtomically(file, content));
    REQUIRE(::chmod(file.c_str(), mode) == 0);
}

} // namespace

TEST_CASE("what is not there is skipped with its reason, what does not work has failed")
{
    const Error absent{ErrorCode::notFound, "There is none.", "Buy one."},
        broken{ErrorCode::unavailable, "It smokes.", ""};
    CHECK(withoutIt(absent).verdict == Verdict::skipped);
    CHECK(withoutIt(absent).detail == "There is none.");
    CHECK(withoutIt(broken).verdict == Verdict::failed);
    CHECK(withoutIt(broken).detail == "It smokes.");
}

TEST_CASE("without an mpirun ranks over MPI are skipped; one that cannot be started, or fails, is a failure")
{
    if (test::noMpi())
        return;
    const test::TemporaryFolder folder;
    const fs::path mpirun = folder.path() / "mpirun";
    CHECK(overMpiWith(folder.path()).verdict == Verdict::skipped);
    writeProgram(mpirun, "no program", 0755);
    CHECK(overMpiWith(folder.path()).verdict == Verdict::failed);
    writeProgram(mpirun, "#!/bin/sh\nexit 3\n", 0755);
    const CheckResult failing = overMpiWith(folder.path());
    CHECK(failing.verdict == Verdict::failed);
    CHECK(failing.detail.find("exit code 3") != std::string::npos);
}

TEST_CASE("a plug-in for CUDA graphs that is absent was not built; one that is damaged or another's does not work")
{
    const test::TemporaryFolder folder;
    const fs::path file = folder.path() / "ringside-worker-cudagraph.so";
    CHECK(loadCudaGraph(file).error().code == ErrorCode::notFound);
    REQUIRE(writeFileAtomically(file, "no library"));
    CHECK(loadCudaGraph(file).error().code == ErrorCode::unavailable);
    fs::remove(file);
    fs::create_symlink("/proc/self/exe", file); // dlopen refuses programs
    CHECK(loadCudaGraph(file).error().code == ErrorCode::unavailable);
}
