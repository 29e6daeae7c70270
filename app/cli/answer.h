// SPDX-License-Identifier: GPL-3.0-or-later
// Waiting for the conductor's answer to a command. What it tells meanwhile goes to standard error.
#pragma once

#include "core/base/error.h"
#include "core/conductor/sink.h"

#include <atomic>
#include <chrono>
#include <vector>

namespace ringside::cli {

class Steps;
class Watcher;

/// Getting a site ready: a worker is built within an hour (BuildRequest); signing in may take a person some minutes.
constexpr auto kSiteLimit = std::chrono::minutes(70);

struct Wait
{
    std::chrono::minutes limit;              ///< of the whole
    Steps* steps = nullptr;                  ///< draws the steps of getting a site ready
    const std::atomic<bool>* stop = nullptr; ///< ends the wait early
};

/// Blocks. Fails with `cancelled` once `wait.stop` is true, with `timeout` after the limit, and with what keeps the
/// database from being written once that has lasted too long (Watcher::unwritable).
Result<void> awaitAnswer(Watcher& watcher, Ticket ticket, const Wait& wait);

/// One line each.
void tell(const std::vector<Error>& problems);

} // namespace ringside::cli
