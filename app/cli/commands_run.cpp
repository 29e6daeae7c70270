// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"

#include "app/cli/json.h"
#include "app/cli/progress.h"
#include "app/cli/watcher.h"
#include "core/conductor/localsite.h"
#include "core/spec/toml.h"
#include "core/spec/validate.h"
#include "core/store/queries.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace ringside::cli {

namespace {

using namespace std::chrono_literals;

std::atomic<bool> interrupted = false;

void onInterrupt(int)
{
    interrupted = true;
    std::signal(SIGINT, SIG_DFL); // a second Ctrl+C ends the program at once
}

Result<spec::Experiment> readChecked(const RunOptions& options, const fs::path& worker)
{
    TRY_ASSIGN(const std::string text, readFile(options.file, spec::kMaxExperimentBytes));
    const spec::ParseOutcome outcome = spec::checkExperiment(text, localSite(worker));
    for (const spec::Check& check : outcome.checks) {
        const std::string line = spec::toText(check, options.file);
        if (check.severity == spec::Severity::blocking)
            return fail(ErrorCode::usage, line); // the gravest come first
        fmt::print(stderr, "{}: {}\n", spec::nameOf(check.severity), line);
    }
    return *outcome.experiment;
}

Result<std::vector<store::RunRow>> runsOf(const ConductorOptions& options, const std::string& experiment)
{
    TRY_ASSIGN(const store::Database db, store::Database::openForReading(options.store));
    store::RunFilter filter;
    filter.experiment = experiment;
    filter.kind = RunKind::run;
    filter.onlyInMatrix = true;
    return store::runs(db, filter);
}

/// Until the command is answered; nullopt if Ctrl+C came first.
std::optional<Result<void>> waitFor(Watcher& watcher, Ticket ticket)
{
    for (;;) {
        if (auto answer = watcher.answer(ticket))
            return answer;
        if (interrupted)
            return std::nullopt;
        for (const Error& problem : watcher.next(100ms).problems)
            fmt::print(stderr, "ringside-cli: {}\n", problem.text());
    }
}

/// Shows the runs until all have ended or Ctrl+C comes.
void follow(Watcher& watcher, Progress& progress)
{
    while (!progress.allEnded() && !interrupted) {
        const Watcher::News news = watcher.next(200ms);
        for (const store::RunRow& run : news.runs)
            progress.update(run);
        for (const auto& [run, seq] : news.lastSeq)
            progress.advance(run, seq);
        for (const Error& problem : news.problems)
            progress.say("ringside-cli: " + problem.text());
        if (news.site && news.site->contact == SiteStatus::Contact::lost)
            progress.say(fmt::format("{}: {}", news.site->name, news.site->text));
        progress.draw();
    }
}

Exit detached(const Context& context, const std::string& experiment)
{
    const std::string store = context.store.empty() ? "" : " --store " + context.store;
    const std::string cancel = fmt::format("ringside-cli cancel{} --experiment {}", store, experiment);
    const std::string collect = fmt::format("ringside-cli collect{}", store);
    fmt::print(stderr,
               "\nDetached: the runs go on without this program.\n"
               "  {:<{}}  brings their samples home later\n"
               "  {}  ends them\n",
               collect, cancel.size(), cancel);
    return Exit::detached;
}

Exit summary(const Context& context, const ConductorOptions& options, const spec::Experiment& experiment,
             bool anyFailed)
{
    if (context.json) {
        TRY_OR_EXIT(const std::vector<store::RunRow> rows, runsOf(options, experiment.name));
        nlohmann::ordered_json json = nlohmann::ordered_json::array();
        for (const store::RunRow& run : rows)
            json.push_back(toJson(run));
        fmt::print("{}\n", json.dump(2));
    } else {
        compare(context, {experiment.name, experiment.base.empty() ? "throughput" : "speedup", ""});
    }
    return anyFailed ? Exit::someFailed : Exit::done;
}

} // namespace

Exit run(const Context& context, const RunOptions& options)
{
    TRY_OR_EXIT(const ConductorOptions programs, conductorOptions(context));
    TRY_OR_EXIT(const spec::Experiment experiment, readChecked(options, programs.worker));
    std::signal(SIGINT, onInterrupt);
    Watcher watcher;
    TRY_OR_EXIT(std::unique_ptr<Conductor> conductor, Conductor::open(programs, watcher));

    LaunchRequest launch;
    launch.experiment = experiment.name;
    launch.site = options.site;
    launch.retryFailed = options.retryFailed;
    for (const Ticket ticket : {conductor->saveExperiment(experiment), conductor->launch(launch)}) {
        const auto answer = waitFor(watcher, ticket);
        if (!answer)
            return detached(context, experiment.name);
        if (!*answer)
            return report(answer->error());
    }

    TRY_OR_EXIT(const std::vector<store::RunRow> rows, runsOf(programs, experiment.name));
    bool anyFailed = false;
    {
        Progress progress(rows);
        follow(watcher, progress);
        if (!progress.allEnded())
            return detached(context, experiment.name);
        anyFailed = progress.anyFailed();
    }
    conductor.reset();
    return summary(context, programs, experiment, anyFailed);
}

} // namespace ringside::cli
