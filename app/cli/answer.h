// SPDX-License-Identifier: GPL-3.0-or-later
// Waits for the outcome of a request to the conductor. Meanwhile writes observations to standard error.
#pragma once

#include "core/base/error.h"
#include "core/conductor/completion.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <vector>

namespace ringside::cli {

class Steps;
class Watcher;

/// Getting a site ready: a worker is built within an hour (BuildRequest); a user may need some minutes to sign in.
constexpr auto kSiteLimit = std::chrono::minutes(70);

struct Wait
{
    std::chrono::minutes limit;              ///< of the whole
    Steps* steps = nullptr;                  ///< draws the steps of getting its site ready; only these count
    const std::atomic<bool>* stop = nullptr; ///< ends the wait early
};

/// Makes a request, `ask(Completion<T>)`, and blocks until its value is there. Fails with `cancelled` once `wait.stop`
/// is true, with `timeout` after the limit, and with the obstacle to writing the database once that has lasted too long
/// (Watcher::unwritable).
template <class T = void, class Ask> Result<T> await(Watcher& watcher, const Wait& wait, const Ask& ask);

/// One line each.
void sayProblems(const std::vector<Error>& problems);

// ---- behind await()

/// Until `isCompleted`. The value: whether the site refused the way in meanwhile.
Result<bool> watchUntil(Watcher& watcher, const Wait& wait, const std::function<bool()>& isCompleted);
/// For a refused sign-in, by the server, the host key or the user: the site is not available (CONTRACTS, "Programs").
/// Without this it would look like a file that may not be written.
Error asNotAvailable(Error error);

template <class T, class Ask> Result<T> await(Watcher& watcher, const Wait& wait, const Ask& ask)
{
    const auto promise = std::make_shared<std::promise<Result<T>>>(); // it may come after the limit
    std::future<Result<T>> value = promise->get_future();
    ask(Completion<T>([promise](Result<T> result) { promise->set_value(std::move(result)); }));
    TRY_ASSIGN(const bool wasRefused, watchUntil(watcher, wait, [&value] {
                   return value.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
               }));
    return wasRefused ? value.get().map_error(asNotAvailable) : value.get();
}

} // namespace ringside::cli
