// SPDX-License-Identifier: MIT
// One rank of the test of clock offsets: its clock goes five minutes more ahead of rank 0's than that of the rank
// before. Exit code 0 if the offset that it measures is right to what it says of itself.
#include "agent/worker/collectives/clockoffset.h"
#include "agent/worker/keeploaded.h"
#include "core/base/clock.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

using namespace ringside;

namespace {

constexpr std::int64_t kAhead = 300'000'000'000;
constexpr std::int64_t kMostUncertain = 100'000'000; // ns; some microseconds where the ranks do not wait for a core

} // namespace

int main()
{
    auto communicator = makeCommunicator();
    if (!communicator)
        return 2;
    const int rank = (*communicator)->rank();
    const std::int64_t ahead = rank * kAhead;
    for (int i = 0; i < 2; ++i) { // as before and after a run
        const auto measured = measureClockOffset(**communicator, [&] { return monotonicNs() + ahead; });
        if (!measured)
            return 3;
        fmt::print("rank {}: {} ns ± {}\n", rank, measured->offsetNs, measured->uncertaintyNs);
        const bool isRight = std::abs(measured->offsetNs + ahead) <= measured->uncertaintyNs;
        if (!isRight || measured->uncertaintyNs > kMostUncertain || (rank > 0) != (measured->uncertaintyNs > 0))
            return 1;
    }
    return 0;
}
