// SPDX-License-Identifier: MIT
// The agent's cost on a login node: its file; the memory and time of a relay that is connected over SSH and has nothing
// to do, and of one that follows a campaign which waits for its turn.
//                                                                                 usage: bench_agent [SECONDS]
#include "core/protocol/layout.h"
#include "core/spec/toml.h"
#include "tests/bench/support/benchsite.h"
#include "tests/bench/support/numbers.h"
#include "tests/bench/support/processcost.h"
#include "tests/bench/support/waitingsink.h"
#include "tests/support/lenetexperiment.h"
#include "tests/support/waitingconductor.h"

#include <fcntl.h>
#include <sys/file.h>
#include <thread>

using namespace ringside;
using namespace ringside::bench;

namespace {

constexpr std::chrono::seconds kSettle{15}; ///< longer than it takes a relay to slow down (follower.cpp)

/// The lock of campaigns, held as by another runner until this goes.
Descriptor takeCampaignLock(const fs::path& root)
{
    Descriptor lock(::open(layout::campaignLockFile(root).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        fmt::print(stderr, "{} is held already\n", layout::campaignLockFile(root).string());
        std::exit(1);
    }
    return lock;
}

void measure(const std::string& doing, pid_t relay, std::chrono::seconds length)
{
    std::this_thread::sleep_for(kSettle);
    const double before = cpuSeconds(relay);
    std::this_thread::sleep_for(length);
    const double share = 100 * (cpuSeconds(relay) - before) / static_cast<double>(length.count());
    fmt::print("agent.cpu_{} {:.3f} % 0.1  # of one core, over {} s\n", doing, share, length.count());
    fmt::print("agent.memory_{} {:.1f} MB 20  # most that was resident; {:.1f} then\n", doing, peakMegabytes(relay),
               residentMegabytes(relay));
}

} // namespace

int main(int argc, char** argv)
{
    const std::chrono::seconds length(argc > 1 ? std::atoi(argv[1]) : 60);
    const BenchSite site;
    const auto options = site.options();
    fmt::print("agent.size {:.2f} MB 5  # of the file\n", static_cast<double>(fs::file_size(options.agent)) / 1e6);

    WaitingSink sink;
    const auto conductor = must(test::WaitingConductor::open(options, sink));
    must(conductor->prepareSite(BenchSite::kName));
    const auto relay = agentWith("relay", site.root().string());
    if (!relay) {
        fmt::print(stderr, "there is no relay\n");
        return 1;
    }
    measure("idle", *relay, length);

    const Descriptor lock = takeCampaignLock(site.root());
    const auto experiment = must(spec::parseExperiment(test::lenetExperiment("waits", "ranks = [1]", 3, 8)));
    must(conductor->launch(launchOf(experiment, BenchSite::kName)));
    if (agentWith("relay", site.root().string()) != relay) {
        fmt::print(stderr, "the relay is another one\n");
        return 1;
    }
    measure("following", *relay, length);
    must(conductor->control({{Control::Kind::cancel}, ""}));
    must(sink.ends());
    return 0;
}
