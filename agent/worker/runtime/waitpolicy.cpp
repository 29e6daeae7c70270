// SPDX-License-Identifier: MIT
#include "agent/worker/runtime/waitpolicy.h"

#include "core/base/environment.h"

#include <condition_variable>
#include <dlfcn.h>
#include <mutex>
#include <pthread.h>

namespace ringside {

namespace {

/// One core that others use for a fifth of the time delays each loop that is shared with a thread on it. A reading of a
/// tenth of a second is exact to a tenth of a core.
constexpr float kCrowdedCores = 0.2F;
/// So long others must be away: a process that waits for a disk now and then is there.
constexpr std::chrono::nanoseconds kCalm = std::chrono::seconds(2);
/// A team of more threads than this is not started for it: libgomp ends the process where one cannot be.
constexpr int kMostThreads = 256;

using Parallel = void (*)(void (*function)(void*), void* data, unsigned threads, unsigned flags);

/// The function of libtorch's own libgomp, whose file has another name in each of libtorch's packages.
Parallel findParallel()
{
    return reinterpret_cast<Parallel>(dlsym(RTLD_DEFAULT, "GOMP_parallel"));
}

void doNothing(void*) {}

/// The threads sleep until this one, to which the team belongs, ends.
void holdTeam(const std::stop_token& stop, Parallel parallel, unsigned threads)
{
    pthread_setname_np(pthread_self(), "wait policy");
    parallel(doNothing, nullptr, threads, 0);
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait(lock, stop, [] { return false; });
}

} // namespace

WaitPolicy::WaitPolicy(int processors, int cores)
    : m_processors(processors)
    , m_cores(cores)
{
}

void WaitPolicy::follow(const Telemetry& reading)
{
    const bool isCrowded = reading.foreignCoresShare * static_cast<float>(m_cores) >= kCrowdedCores;
    if (isCrowded)
        m_crowdedNs = reading.atNs;
    else if (m_team && reading.atNs - m_crowdedNs >= kCalm.count())
        m_team.reset();
    if (!isCrowded || m_team || m_cores < 2 || m_processors >= kMostThreads || environment("OMP_WAIT_POLICY"))
        return;
    if (const Parallel parallel = findParallel())
        m_team.emplace([parallel, threads = static_cast<unsigned>(m_processors) + 1](const std::stop_token& stop) {
            holdTeam(stop, parallel, threads);
        });
}

} // namespace ringside
