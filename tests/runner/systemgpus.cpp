// SPDX-License-Identifier: MIT
// The load of GPUs that a system's ranks use, by the real ringside-gpuload over a stand-in for the driver's NVML
// (tests/gpuload/standinnvml.c): of its three GPUs the first uses 1 GiB, the second 2, the third 3.
#include "tests/runner/campaignfixture.h"
#include "tests/runner/tinysystem.h"
#include "tests/support/built.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>

using namespace ringside;
using namespace ringside::test;

namespace {

constexpr std::uint64_t kGiB = 1u << 30;

/// A worker's folder. Its programs find the stand-in while this lives.
class Programs
{
public:
    Programs()
    {
        ::setenv("LD_LIBRARY_PATH", testProgram("standin-nvml").c_str(), 1);
        ::setenv("STANDIN_NVML_PROCESSES", processes().c_str(), 1);
        fs::create_symlink(testworkerPath(), worker());
    }
    ~Programs()
    {
        ::unsetenv("LD_LIBRARY_PATH");
        ::unsetenv("STANDIN_NVML_PROCESSES");
    }

    fs::path worker() const { return layout::workerProgram(m_folder.path()); }
    fs::path gpuLoad() const { return layout::gpuLoadProgram(m_folder.path()); }
    fs::path processes() const { return m_folder / "processes"; }
    void haveGpuLoad() const { fs::create_symlink(builtProgram("ringside-gpuload"), gpuLoad()); }
    void haveGpuLoad(const std::string& script) const
    {
        std::ofstream(gpuLoad()) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(gpuLoad(), fs::perms::owner_all);
    }

private:
    TemporaryFolder m_folder;
};

/// Two ranks, of which each computes on the GPU behind that of its own number, for about two seconds.
std::unique_ptr<Campaign> trainedOn(const std::string& device, const Programs& programs)
{
    Engine engine;
    engine.title = "Script";
    engine.command = {
        findProgram("python3"), "-uc",
        "import os, sys, time\n"
        "rank = int(sys.argv[1])\n"
        "with open(sys.argv[2], 'a') as processes:\n"
        "    processes.write('%d %d 500\\n' % (rank + 1, os.getpid()))\n"
        "print('ringside 1 begin rank=%d ranks=2 scope=rank batch=8 pid=%d {{}}' % (rank, os.getpid()))\n"
        "for i in range(20):\n"
        "    time.sleep(0.1)\n"
        "    print('ringside 1 iteration=%d start_ns=%d length_ns=1000 items=8' % (i, 1000 * i + 1000))\n",
        "{rank}", programs.processes().string()};
    const Settings settings{{"engine", std::string("script")}, {"batch_per_rank", std::int64_t{8}}, {"device", device}};
    auto campaign =
        std::make_unique<Campaign>(std::vector{makeRun(kRanks, 20, settings)}, std::nullopt, "mpirun",
                                   programs.worker(), fs::path(), std::map<std::string, Engine>{{"script", engine}});
    CHECK(campaign->startRunner().wait(kLong) == 0);
    CHECK(campaign->endsOf(0).at(0).state == RunState::done);
    return campaign;
}

std::vector<GpuTelemetry> gpuLoadOf(const Campaign& campaign, int rank)
{
    std::vector<GpuTelemetry> loads;
    for (const Record& record : readSpool(layout::spoolFile(campaign.attempt(0), rank)))
        if (const auto* load = std::get_if<GpuTelemetry>(&record))
            loads.push_back(*load);
    return loads;
}

std::string logOf(const Campaign& campaign, int rank)
{
    return readFile(layout::rankLog(campaign.attempt(0), rank)).value_or("");
}

} // namespace

TEST_CASE("the load of the GPU that a rank of a system computes on is recorded beside the host's")
{
    const Programs programs;
    programs.haveGpuLoad();
    const auto campaign = trainedOn("cuda", programs);
    for (int rank = 0; rank < kRanks; ++rank) {
        const auto loads = gpuLoadOf(*campaign, rank);
        CHECK(loads.size() >= 3); // ten times a second at first
        for (const GpuTelemetry& load : loads) {
            CHECK(load.memoryUsedBytes == (static_cast<std::uint64_t>(rank) + 2) * kGiB);
            CHECK(load.foreignProcesses == 0);
            CHECK(load.atNs > 0);
        }
        for (std::size_t i = 1; i < loads.size(); ++i)
            CHECK(loads[i].atNs > loads[i - 1].atNs);
        CHECK(logOf(*campaign, rank).find("ringside-gpuload") == std::string::npos);
    }
}

TEST_CASE("a rank that computes on its cores has no load of a GPU")
{
    const Programs programs;
    programs.haveGpuLoad();
    CHECK(gpuLoadOf(*trainedOn("cpu", programs), 0).empty());
}

TEST_CASE("a program that hangs with its GPU holds no run up, and is ended with it")
{
    const Programs programs;
    programs.haveGpuLoad("trap '' TERM\nexec sleep 98761");
    const auto campaign = trainedOn("cuda", programs);
    CHECK(gpuLoadOf(*campaign, 0).empty());
    CHECK(samplesOf(layout::spoolFile(campaign->attempt(0), 0)).size() == 20);
    CHECK(eventually(kLong, [] { return processesWith("98761").empty(); }));
}

TEST_CASE("where no program reads the load, or it finds no driver, the run is done all the same, and the log says why")
{
    const Programs programs;
    CHECK(logOf(*trainedOn("cuda", programs), 0).find("ringside-gpuload: The GPU's load is not recorded: ") !=
          std::string::npos);
    programs.haveGpuLoad();
    ::setenv("LD_LIBRARY_PATH", "/nowhere", 1);
    const auto campaign = trainedOn("cuda", programs);
    CHECK(gpuLoadOf(*campaign, 0).empty());
    CHECK(logOf(*campaign, 1).find("The driver's libnvidia-ml.so.1 is not there.") != std::string::npos);
}
