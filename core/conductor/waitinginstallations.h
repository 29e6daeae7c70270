// SPDX-License-Identifier: MIT
#pragma once

#include "core/conductor/completion.h"
#include "core/protocol/installedengine.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace ringside {

/// Installations that wait for the store, which may wait for a full disk: they can be cancelled here. Any thread.
class WaitingInstallations
{
public:
    /// Returns its number.
    std::uint64_t add(const std::string& site, const std::string& system, Completion<InstalledEngine> done);
    /// Hands what completes it over to `use`, unless it was cancelled. An order to cancel it finds it either here or
    /// behind `use`, which must return at once and complete nothing.
    template <class Use> void handOver(std::uint64_t number, const Use& use)
    {
        const std::lock_guard lock(m_mutex);
        if (auto waiting = m_waiting.extract(number))
            use(std::move(waiting.mapped().done));
    }
    /// Ends it with an error, unless it was cancelled.
    void fail(std::uint64_t number, const Error& error);
    /// Ends one of this system with `cancelled`. Returns false if none waits.
    bool cancel(const std::string& site, const std::string& system);

private:
    struct Waiting
    {
        std::pair<std::string, std::string> what; ///< site and system
        Completion<InstalledEngine> done;
    };
    std::mutex m_mutex;
    std::map<std::uint64_t, Waiting> m_waiting; ///< by number
    std::uint64_t m_last = 0;
};

} // namespace ringside
