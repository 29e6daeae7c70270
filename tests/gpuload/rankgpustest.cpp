// SPDX-License-Identifier: MIT
// Over the three GPUs that the stand-in for the driver's library has by index (standinnvml.c): the first uses 1 GiB of
// its memory, the second 2, the third 3.
#include "agent/gpuload/rankgpus.h"

#include "core/base/child.h"
#include "tests/support/temporaryfolder.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>

using namespace ringside;

namespace {

constexpr std::uint64_t kGiB = 1u << 30;

/// Processes that compute on the GPUs: lines of a GPU's index, a process and MiB.
class OnGpus
{
public:
    OnGpus() { ::setenv("STANDIN_NVML_PROCESSES", (m_folder / "processes").c_str(), 1); }
    ~OnGpus() { ::unsetenv("STANDIN_NVML_PROCESSES"); }
    void are(const std::string& lines) const { std::ofstream(m_folder / "processes") << lines; }

private:
    test::TemporaryFolder m_folder;
};

RankGpus gpusOf(pid_t rank, std::size_t count = 1)
{
    auto gpus = RankGpus::open(rank, count);
    REQUIRE(gpus);
    return *std::move(gpus);
}

/// Returns the memory of the GPUs on which this process is found.
std::uint64_t memoryOn(RankGpus gpus)
{
    const auto load = gpus.sample();
    return load ? load->memoryUsedBytes : 0;
}

} // namespace

TEST_CASE("a rank's GPU is the one where it computes, or what it has started")
{
    const OnGpus processes;
    processes.are(fmt::format("0 1 700\n1 {} 500\n", getpid()));
    CHECK(memoryOn(gpusOf(getpid())) == 2 * kGiB);
    const auto child = startChild({.arguments = {"sleep", "1000"}, .deathSignal = SIGKILL});
    REQUIRE(child);
    processes.are(fmt::format("0 1 700\n2 {} 500\n", *child));
    CHECK(memoryOn(gpusOf(getpid())) == 3 * kGiB);
    CHECK(memoryOn(gpusOf(*child)) == 3 * kGiB);
    processes.are(fmt::format("1 {} 500\n", getpid()));
    CHECK(memoryOn(gpusOf(*child)) == 0);
    ::kill(*child, SIGKILL);
    awaitChild(*child);
}

TEST_CASE("nothing is reported of a rank that computes on no GPU, until it does")
{
    const OnGpus processes;
    processes.are("0 1 700\n");
    RankGpus gpus = gpusOf(getpid());
    CHECK_FALSE(gpus.sample());
    processes.are(fmt::format("0 1 700\n2 {} 10\n", getpid()));
    const auto load = gpus.sample();
    REQUIRE(load);
    CHECK(load->memoryUsedBytes == 3 * kGiB);
    CHECK(load->foreignProcesses == 0);
}

TEST_CASE("of a rank that leaves a little of itself on other GPUs, the one that has most of it is its own")
{
    const OnGpus processes;
    processes.are(fmt::format("0 {0} 300\n1 {0} 9000\n2 {0} 300\n", getpid()));
    CHECK(memoryOn(gpusOf(getpid())) == 2 * kGiB);
}

TEST_CASE("GPUs of one process are reported together")
{
    const OnGpus processes;
    processes.are(fmt::format("0 {0} 5000\n1 {0} 300\n2 {0} 9000\n2 4194305 100\n", getpid()));
    RankGpus gpus = gpusOf(getpid(), 2);
    const auto load = gpus.sample();
    REQUIRE(load);
    CHECK(load->busyShare == doctest::Approx(0.4)); // 20 % and 60 %
    CHECK(load->memoryUsedBytes == 4 * kGiB);
    CHECK(load->memoryBytes == 2 * 85'899'345'920);
    CHECK(load->powerMilliwatts == 400'000);
    CHECK(load->smMegahertz == 1'752);
    CHECK(load->memoryMegahertz == 2'619);
    CHECK(load->clockReasons == 0b1010);
    CHECK(load->pcieSentPerSecond == 24'000'000);
    CHECK(load->foreignProcesses == 1);
    CHECK(load->foreignMemoryBytes == 100u << 20);

    std::array each{*load, *load};
    each[1].foreignProcesses = GpuTelemetry::kUnknown;
    CHECK(together(each).foreignProcesses == GpuTelemetry::kUnknown);
}

TEST_CASE("where there are no more GPUs than a rank is to use, they are its own, whatever processes NVML names")
{
    const OnGpus processes;
    processes.are("1 4194305 500\n1 4194306 500\n");
    RankGpus gpus = gpusOf(getpid(), 3);
    const auto load = gpus.sample();
    REQUIRE(load);
    CHECK(load->memoryUsedBytes == 6 * kGiB);
    CHECK(load->foreignProcesses == GpuTelemetry::kUnknown);
}
