// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/answer.h"

#include "app/cli/steps.h"
#include "app/cli/watcher.h"

#include <cstdio>
#include <fmt/format.h>

namespace ringside::cli {

using namespace std::chrono_literals;

Result<void> awaitAnswer(Watcher& watcher, Ticket ticket, const Wait& wait)
{
    const auto end = std::chrono::steady_clock::now() + wait.limit;
    while (std::chrono::steady_clock::now() < end) {
        const auto answer = watcher.answer(ticket); // first, so that what was told before it is in the news below
        const Watcher::News news = watcher.next(answer ? 0ms : 100ms);
        for (const SiteStep& step : news.steps)
            if (wait.steps)
                wait.steps->update(step);
        tell(news.problems);
        if (answer)
            return *answer;
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
