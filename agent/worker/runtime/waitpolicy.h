// SPDX-License-Identifier: MIT
// Sets how long OpenMP's threads wait for each other awake: long where nothing else wants their cores, hardly where
// something does.
#pragma once

#include "core/protocol/sample.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

namespace ringside {

/// libgomp looks at a barrier GOMP_SPINCOUNT times before a thread sleeps, but only 100 times while it manages more
/// threads than there are processors (its manual, under GOMP_SPINCOUNT). While another process is seen on the cores of
/// this rank, a team of sleeping threads raises their number above that. One thread at a time; does nothing where
/// OMP_WAIT_POLICY is set, where another runtime than libgomp is loaded, and where there is one core.
class WaitPolicy
{
public:
    /// `processors`: those that this process might use when it began, which libgomp has counted; `cores`: those that it
    /// is bound to.
    WaitPolicy(int processors, int cores);

    /// Reads what runs on the cores. Has effect within a millisecond or so.
    void follow(const Telemetry& reading);

private:
    int m_processors;
    int m_cores;
    std::int64_t m_crowdedNs = 0;       ///< of the last reading that saw others
    std::optional<std::jthread> m_team; ///< its threads are libgomp's until it ends
};

} // namespace ringside
