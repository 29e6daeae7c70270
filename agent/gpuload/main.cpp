// SPDX-License-Identifier: MIT
// ringside-gpuload RANK COUNT: the load of the COUNT GPUs that a process uses, for its guard
// (agent/runner/gpureadings.h). A program of its own, because the agent is static and cannot load the driver's library,
// and because a call into that can hang as long as a broken GPU does. For each byte on its standard input, a socket, it
// takes one reading, and writes it there as a record of a spool; nothing while the process uses no GPU. It ends with
// its input.
#include "agent/gpuload/rankgpus.h"
#include "core/base/clock.h"
#include "core/base/say.h"
#include "core/protocol/record.h"

#include <cstdlib>
#include <sys/socket.h>

namespace {

using namespace ringside;

constexpr int kUsage = 2;
constexpr int kUnavailable = 69;
constexpr std::int64_t kPatienceNs = 60'000'000'000; ///< models, libraries and GPUs are set up by then, most times

/// Says once that the rank is on none.
class Complaint
{
public:
    explicit Complaint(std::size_t gpus)
        : m_gpus(gpus)
    {
    }

    void ofNone()
    {
        if (m_said || monotonicNs() - m_beganNs < kPatienceNs)
            return;
        m_said = true;
        sayError("ringside-gpuload: No GPU load has been recorded so far: NVML lists no process of this rank on any of "
                 "{} GPUs. Some containers use process ids that differ from NVML's.",
                 m_gpus);
    }

private:
    std::size_t m_gpus;
    std::int64_t m_beganNs = monotonicNs();
    bool m_said = false;
};

void answer(RankGpus& gpus)
{
    Complaint complaint(gpus.gpus());
    for (char request; ::read(STDIN_FILENO, &request, 1) == 1;) {
        while (::recv(STDIN_FILENO, &request, 1, MSG_DONTWAIT) == 1)
            continue; // one reading answers all that was asked while the driver was slow
        const auto load = gpus.sample();
        if (!load) {
            complaint.ofNone();
            continue;
        }
        std::string record;
        appendRecord(record, *load);
        if (::send(STDIN_FILENO, record.data(), record.size(), MSG_NOSIGNAL) < 0)
            return;
    }
}

} // namespace

int main(int argc, char** argv)
{
    const int rank = argc == 3 ? std::atoi(argv[1]) : 0;
    const int count = argc == 3 ? std::atoi(argv[2]) : 0;
    if (rank <= 0 || count <= 0) {
        sayErrorLine(
            "usage: ringside-gpuload RANK COUNT: reports the load of the COUNT GPUs that the process RANK uses");
        return kUsage;
    }
    auto gpus = RankGpus::open(rank, static_cast<std::size_t>(count));
    if (!gpus) {
        sayError("ringside-gpuload: The GPU's load is not recorded: {}", gpus.error().text());
        return kUnavailable;
    }
    answer(*gpus);
}
