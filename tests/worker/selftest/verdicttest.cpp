// SPDX-License-Identifier: MIT
// Verdicts that count as skipped, and those that count as failed.
#include "agent/worker/device/devicegraph.h"
#include "agent/worker/selftest/selftest.h"
#include "core/base/files.h"
#include "tests/support/searchpath.h"
#include "tests/support/temporaryfolder.h"
#include "tests/support/writeprogram.h"
#include "tests/worker/nompi.h"

#include <doctest/doctest.h>

using namespace ringside;
using Verdict = CheckResult::Verdict;

namespace {

CheckResult overMpiWith(const fs::path& folder)
{
    const test::SearchPath path(folder);
    return collectiveChecks().front().run();
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
    test::writeProgram(mpirun, "no program");
    CHECK(overMpiWith(folder.path()).verdict == Verdict::failed);
    test::writeProgram(mpirun, "#!/bin/sh\nexit 3\n");
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
