// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/answer.h"

#include "app/cli/steps.h"
#include "app/cli/watcher.h"

#include <cstdio>
#include <fmt/format.h>

namespace ringside::cli {

using namespace std::chrono_literals;

namespace {

bool isNoWayIn(const SiteStep& step)
{
    return step.state == SiteStep::State::failed && step.kind <= SiteStep::Kind::signIn;
}

/// Whoever refused the way in, the server, the host key or the person asked: the site is not available (CONTRACTS,
/// "Programs"). Without this a refused sign-in would look like a file that may not be written.
Error asNotAvailable(Error error)
{
    if (error.code == ErrorCode::permission || error.code == ErrorCode::cancelled)
        error.code = ErrorCode::needsUser;
    return error;
}

} // namespace

Result<void> awaitAnswer(Watcher& watcher, Ticket ticket, const Wait& wait)
{
    bool noWayIn = false;
    const auto end = std::chrono::steady_clock::now() + wait.limit;
    while (std::chrono::steady_clock::now() < end) {
        const auto answer = watcher.answer(ticket); // first, so that what was told before it is in the news below
        const Watcher::News news = watcher.next(answer ? 0ms : 100ms);
        for (const SiteStep& step : news.steps) {
            noWayIn = noWayIn || isNoWayIn(step);
            if (wait.steps)
                wait.steps->update(step);
        }
        tell(news.problems);
        if (answer)
            return noWayIn ? answer->map_error(asNotAvailable) : *answer;
        if (const auto refusal = watcher.unwritable())
            return tl::unexpected(*refusal);
        if (wait.stop && *wait.stop)
            return fail(ErrorCode::cancelled, "Nobody waits any more.");
    }
    return fail(ErrorCode::timeout, fmt::format("The command was not answered within {} minutes.", wait.limit.count()),
                "Try again; nothing stored is lost.");
}

void tell(const std::vector<Error>& problems)
{
    for (const Error& problem : problems)
        fmt::print(stderr, "ringside-cli: {}\n", problem.text());
}

} // namespace ringside::cli
