// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/backends.h"
#include "agent/worker/collectives/fastertransport.h"
#include "agent/worker/collectives/rankgroup.h"
#include "agent/worker/cuda/nccl.h"
#include "agent/worker/cuda/pluginloader.h"
#include "tests/support/built.h"
#include "tests/support/processstat.h"
#include "tests/support/temporaryfolder.h"
#include "tests/worker/nompi.h"
#include "tests/worker/waitforranks.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

constexpr const char* kInPlaceOfMpi = "tcp, in place of mpi: ob1";

int exitCodeOf(int ranks, const std::vector<std::string>& command, Meeting meeting)
{
    auto group = RankGroup::start(ranks, command, meeting);
    REQUIRE(group);
    const auto code = test::waitForRanks(*group, 120s);
    REQUIRE(code);
    return *code;
}

} // namespace

TEST_CASE("every call gives every rank what it must, over MPI")
{
    if (test::noMpi())
        return;
    MESSAGE(mpiVersion());
    CHECK(mpiVersion().find_first_of(",:\n") == std::string::npos); // a name and a version
    for (const int ranks : {2, 3, 4})
        CHECK(exitCodeOf(ranks, {test::testProgram("collectiveprobe"), "mpi"}, Meeting::mpi) == 0);
}

TEST_CASE("every call gives every rank what it must, over TCP without MPI")
{
    for (const int ranks : {2, 3, 4})
        CHECK(exitCodeOf(ranks, {test::testProgram("collectiveprobe"), "tcp"}, Meeting::tcp) == 0);
}

TEST_CASE("every call gives every rank what it must, over TCP in place of an Open MPI that has only TCP between hosts")
{
    if (test::noOpenMpi())
        return;
    for (const int ranks : {2, 3, 4})
        CHECK(exitCodeOf(ranks, {test::testProgram("collectiveprobe"), kInPlaceOfMpi}, Meeting::mpi) == 0);
}

TEST_CASE("a transport of Open MPI is known to go by TCP alone between hosts")
{
    CHECK(goesByTcp("mpi: ob1 over self, tcp"));
    CHECK(goesByTcp("mpi: ob1 over self, tcp, vader"));
    CHECK(goesByTcp("mpi: ob1 over self, sm, tcp"));
    CHECK(goesByTcp("mpi: ob1 over self, tcp; large sums in shared memory"));
    for (const char* other : {"mpi: ob1 over openib, self, tcp, vader", "mpi: ob1 over self, vader", "mpi: ucx",
                              "mpi: cm over ofi", "mpi: default", "tcp", "single"})
        CHECK(!goesByTcp(other));
}

TEST_CASE("over MPI a rank that is killed, or ends all, takes those that wait for it along")
{
    if (test::noMpi())
        return;
    const test::TemporaryFolder mark;
    const auto exitCode = [&](const std::string& transport, const std::string& end) {
        return exitCodeOf(3, {test::testProgram("collectiveprobe"), transport, end, mark.path()}, Meeting::mpi);
    };
    for (const std::string transport : {"mpi", kInPlaceOfMpi}) {
        if (transport == kInPlaceOfMpi && test::noOpenMpi())
            continue;
        CHECK(exitCode(transport, "die") != 0);
        CHECK(exitCode(transport, "abort") == 7);
    }
    CHECK(test::eventually(10s, [&] { return test::processesWith(mark.path().string()).empty(); }));
}

TEST_CASE("a rank that ends takes those that wait for it out of their wait")
{
    CHECK(exitCodeOf(3, {test::testProgram("collectiveprobe"), "tcp", "leave"}, Meeting::tcp) == 3);
}

TEST_CASE("where no GPU is, NCCL is refused with what is missing, and the ranks stay as they were")
{
    if (cuda::gpuCount()) {
        MESSAGE("skipped: this machine has a GPU");
        return;
    }
    auto host = makeSingleCommunicator();
    const auto refused = makeNcclCommunicator(host);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::usage);
    CHECK(refused.error().message.starts_with("Setting backend is “nccl”. There is no NVIDIA GPU"));
    CHECK(refused.error().hint == "Use another backend, or hosts with an NVIDIA GPU.");
    CHECK(host);
    CHECK(exitCodeOf(2, {test::testProgram("collectiveprobe"), "nccl"}, Meeting::tcp) == 2);
}
