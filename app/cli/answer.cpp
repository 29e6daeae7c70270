// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/answer.h"

#include "app/cli/steps.h"
#include "app/cli/watcher.h"
#include "core/base/say.h"

#include <fmt/format.h>

namespace ringside::cli {

using namespace std::chrono_literals;

namespace {

bool isNoWayIn(const SiteStep& step)
{
    return step.state == SiteStep::State::failed && step.kind <= SiteStep::Kind::signIn;
}

} // namespace

Error asNotAvailable(Error error)
{
    if (error.code == ErrorCode::permission || error.code == ErrorCode::cancelled)
        error.code = ErrorCode::needsUser;
    return error;
}

Result<bool> watchUntil(Watcher& watcher, const Wait& wait, const std::function<bool()>& isCompleted)
{
    bool noWayIn = false;
    const auto end = std::chrono::steady_clock::now() + wait.limit;
    while (std::chrono::steady_clock::now() < end) {
        const bool completed = isCompleted(); // first, so that what was observed before it is in the news below
        const Watcher::News news = watcher.next(completed ? 0ms : 100ms);
        for (const SiteStep& step : news.steps) {
            if (wait.steps && step.site != wait.steps->site())
                continue; // one that has other campaigns is connected to meanwhile
            noWayIn = noWayIn || isNoWayIn(step);
            if (wait.steps)
                wait.steps->update(step);
        }
        sayProblems(news.problems);
        if (completed)
            return noWayIn;
        if (const auto refusal = watcher.unwritable())
            return tl::unexpected(*refusal);
        if (wait.stop && *wait.stop)
            return fail(ErrorCode::cancelled, "The wait was interrupted.");
    }
    return fail(ErrorCode::timeout, fmt::format("The command was not answered within {} minutes.", wait.limit.count()),
                "Try again; nothing stored is lost.");
}

void sayProblems(const std::vector<Error>& problems)
{
    for (const Error& problem : problems)
        sayError("ringside-cli: {}", problem.text());
}

} // namespace ringside::cli
