// SPDX-License-Identifier: GPL-3.0-or-later
// collect, cancel, check.
#include "app/cli/commands.h"

#include "app/cli/watcher.h"
#include "core/conductor/localsite.h"
#include "core/spec/matrix.h"
#include "core/spec/toml.h"
#include "core/spec/validate.h"
#include "core/store/queries.h"

#include <charconv>
#include <cstdio>
#include <functional>
#include <vector>

namespace ringside::cli {

namespace {

using namespace std::chrono_literals;

/// Collecting reads every spool that is not stored yet; far above what a laptop's disk needs for 10,000 runs.
constexpr auto kCommandLimit = 10min;

Result<void> waitFor(Watcher& watcher, Ticket ticket)
{
    const auto end = std::chrono::steady_clock::now() + kCommandLimit;
    while (std::chrono::steady_clock::now() < end) {
        for (const Error& problem : watcher.next(100ms).problems)
            fmt::print(stderr, "ringside-cli: {}\n", problem.text());
        if (auto answer = watcher.answer(ticket))
            return *answer;
    }
    return fail(ErrorCode::timeout, "The command was not answered within 10 minutes.",
                "Try again; nothing stored is lost.");
}

using Command = std::function<Ticket(Conductor&)>;

/// One after the other, each awaited; the first error ends them.
Exit carryOut(const Context& context, const std::vector<Command>& commands)
{
    TRY_OR_EXIT(const ConductorOptions options, conductorOptions(context));
    Watcher watcher;
    TRY_OR_EXIT(const std::unique_ptr<Conductor> conductor, Conductor::open(options, watcher));
    for (const Command& command : commands)
        if (const Result<void> result = waitFor(watcher, command(*conductor)); !result)
            return report(result.error());
    return Exit::done;
}

Ticket bringUpToDate(Conductor& conductor)
{
    return conductor.collect();
}

Result<store::RunRow> runOf(const Context& context, const std::string& text)
{
    TRY_ASSIGN(const store::Database db, openStore(context));
    std::optional<store::RunRow> row;
    if (const auto id = RunId::parse(text)) {
        TRY_ASSIGN(row, store::runById(db, *id));
    } else {
        int number = 0;
        std::from_chars(text.data(), text.data() + text.size(), number);
        TRY_ASSIGN(row, store::runByNumber(db, number));
    }
    if (!row)
        return fail(ErrorCode::notFound, fmt::format("There is no run “{}”.", text), "“ringside-cli runs” lists them.");
    return *std::move(row);
}

std::string describe(const store::ExperimentRow& row)
{
    std::string text = fmt::format("{}: {} of {} runs done", row.name, row.runs.done, row.runs.total);
    for (const auto& [count, state] : {std::pair(row.runs.failed, "failed"), std::pair(row.runs.cancelled, "cancelled"),
                                       std::pair(row.runs.running, "running"), std::pair(row.runs.queued, "queued"),
                                       std::pair(row.runs.unknown, "unknown")})
        if (count > 0)
            text += fmt::format(", {} {}", count, state);
    return text;
}

/// What is in the store now, of one experiment or of all.
Exit tellStates(const Context& context, const std::string& experiment)
{
    TRY_OR_EXIT(const store::Database db, openStore(context));
    TRY_OR_EXIT(const std::vector<store::ExperimentRow> rows, store::experiments(db));
    for (const store::ExperimentRow& row : rows)
        if (experiment.empty() || row.name == experiment)
            fmt::print(stderr, "{}\n", describe(row));
    return Exit::done;
}

} // namespace

Exit collect(const Context& context)
{
    const Exit exit = carryOut(context, {bringUpToDate});
    return exit == Exit::done ? tellStates(context, {}) : exit;
}

Exit cancel(const Context& context, const CancelOptions& options)
{
    ControlRequest request;
    std::string experiment = options.experiment;
    if (options.run.empty()) {
        request.experiment = options.experiment;
    } else {
        TRY_OR_EXIT(const store::RunRow run, runOf(context, options.run));
        request.action = ControlAction::cancelRun;
        request.run = run.id;
        experiment = run.experiment;
    }
    // Up to date means in contact: the order then reaches the site before this program ends, and its effect comes home.
    const auto order = [&](Conductor& conductor) { return conductor.control(request); };
    const Exit exit = carryOut(context, {bringUpToDate, order, bringUpToDate});
    return exit == Exit::done ? tellStates(context, experiment) : exit;
}

Exit check(const Context& context, const std::string& file)
{
    TRY_OR_EXIT(const ConductorOptions programs, conductorOptions(context));
    TRY_OR_EXIT(const std::string text, readFile(file, spec::kMaxExperimentBytes));
    const spec::ParseOutcome outcome = spec::checkExperiment(text, localSite(programs.worker));
    for (const spec::Check& check : outcome.checks)
        fmt::print(stderr, "{}: {}\n", spec::nameOf(check.severity), spec::toText(check, file));
    if (spec::hasBlocking(outcome.checks))
        return Exit::usage;
    TRY_OR_EXIT(const spec::Matrix matrix, spec::expand(*outcome.experiment));
    fmt::print("{}: {} configurations, {} runs\n", outcome.experiment->name, matrix.configurations.size(),
               matrix.runs.size());
    for (const std::string& note : matrix.notes)
        fmt::print("{}\n", note);
    return Exit::done;
}

} // namespace ringside::cli
