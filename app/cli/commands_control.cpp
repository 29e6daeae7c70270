// SPDX-License-Identifier: GPL-3.0-or-later
// collect, hold, continue, cancel, archive, unarchive, delete, check.
#include "app/cli/commands.h"

#include "app/cli/answer.h"
#include "app/cli/checkedfile.h"
#include "app/cli/findrun.h"
#include "app/cli/json.h"
#include "app/cli/output.h"
#include "app/cli/watcher.h"
#include "core/base/say.h"
#include "core/base/sequences.h"
#include "core/base/shellquote.h"
#include "core/base/text.h"
#include "core/conductor/deletion.h"
#include "core/report/figurewords.h"
#include "core/spec/matrix.h"
#include "core/store/queries.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

namespace ringside::cli {

namespace {

using namespace std::chrono_literals;

/// Collecting reads every spool that is not stored yet; far above what a laptop's disk needs for 10,000 runs.
constexpr auto kCommandLimit = 10min;

/// More runs with lost samples are only counted.
constexpr std::size_t kMostLostNamed = 10;

/// A cancelled rank has 8 s to write what it has; what takes longer than this goes on without this program.
constexpr auto kCancelLimit = 30s;

using Request = std::function<void(Conductor&, Completion<>)>;
/// Makes a request and awaits what it comes to.
using Ask = std::function<Result<void>(const Request&)>;

/// `work` runs while the conductor watches: afterwards, what has not ended counts as unknown.
Exit withConductor(const Context& context, const std::function<Exit(Watcher&, const Ask&)>& work)
{
    TRY_OR_EXIT(const ConductorOptions options, conductorOptions(context));
    Watcher watcher;
    TRY_OR_EXIT(const std::unique_ptr<Conductor> conductor, openConductor(options, watcher));
    const Ask ask = [&](const Request& request) {
        return await(watcher, {kCommandLimit}, [&](Completion<> done) { request(*conductor, std::move(done)); });
    };
    const Exit exit = work(watcher, ask);
    return exit == Exit::done && watcher.sawDamage() ? Exit::damaged : exit;
}

void bringUpToDate(Conductor& conductor, Completion<> done)
{
    conductor.collect(std::move(done));
}

/// The error that kept a site from an order which is written down.
Error withOutlook(const Context& context, Error error)
{
    error.hint += fmt::format("{}The order is written down: a site that does not have it yet receives it at the next "
                              "contact, as by “{}”.",
                              error.hint.empty() ? "" : " ", commandLine(context, "collect"));
    return error;
}

Error withNothingCancelled(Error error)
{
    error.hint += fmt::format("{}Nothing was cancelled, since which runs have begun is not known. Without --waiting, "
                              "the order is written down for the next contact.",
                              error.hint.empty() ? "" : " ");
    return error;
}

/// The order is written down first, since to reach a site may take minutes. Collecting ends once the sites have it,
/// and its effect comes home. One that is away receives it later, and delays no other. But which runs have not begun,
/// only the sites know: what is to be ended by that is decided once they have said it.
Exit giveOrder(const Context& context, const ControlOrder& order, const std::function<Exit(Watcher&)>& then)
{
    const auto give = [&](Conductor& conductor, Completion<> done) { conductor.control(order, std::move(done)); };
    return withConductor(context, [&](Watcher& watcher, const Ask& ask) {
        if (order.control.kind == Control::Kind::cancelWaiting)
            if (const auto known = ask(bringUpToDate); !known)
                return report(withNothingCancelled(known.error()));
        if (const auto given = ask(give); !given)
            return report(given.error().code == ErrorCode::timeout ? withOutlook(context, given.error())
                                                                   : given.error());
        const Result<void> collected = ask(bringUpToDate);
        const Exit exit = then(watcher);
        return collected ? exit : report(withOutlook(context, collected.error()));
    });
}

std::string describe(const store::ExperimentRow& row)
{
    std::string text = fmt::format("{}: {} of {} runs done", row.name, row.runs.done, row.runs.total);
    for (const auto& [count, state] :
         {std::pair(row.runs.failed, "failed"), std::pair(row.runs.cancelled, "cancelled"),
          std::pair(row.runs.running, "running"), std::pair(row.runs.queued - row.runs.held, "queued"),
          std::pair(row.runs.held, "held"), std::pair(row.runs.unknown, "unknown")})
        if (count > 0)
            text += fmt::format(", {} {}", count, state);
    if (row.runs.unknown > 0 && row.unknownSince)
        text += " since " + clockText(*row.unknownSince);
    return text + (row.archived ? ", archived" : "");
}

/// Prints the states in the store now, of one experiment or of all.
Exit tellStates(const Context& context, const std::string& experiment)
{
    TRY_OR_EXIT(const store::Database db, openStore(context));
    TRY_OR_EXIT(std::vector<store::ExperimentRow> rows, store::experiments(db));
    std::erase_if(rows, [&](const store::ExperimentRow& row) { return !experiment.empty() && row.name != experiment; });
    Json json = Json::array();
    for (const store::ExperimentRow& row : rows) {
        json.push_back(toJson(row));
        sayErrorLine(describe(row));
    }
    if (context.json)
        print(json);
    return Exit::done;
}

/// Those whose sites may still have something.
Result<std::vector<store::CampaignRow>> unfinishedCampaigns(const Context& context)
{
    TRY_ASSIGN(const store::Database db, openStore(context));
    return store::campaigns(db, true);
}

std::string describe(const store::LostSamples& lost)
{
    return fmt::format("Run {}: {}{} samples are no longer on the site.", lost.run, lost.isMost ? "up to " : "",
                       lost.samples);
}

/// Prints the runs that the sites of these campaigns no longer have.
Exit tellLost(const Context& context, const Result<std::vector<store::CampaignRow>>& unfinished)
{
    TRY_OR_EXIT(const std::vector<store::CampaignRow> campaigns, unfinished);
    TRY_OR_EXIT(const store::Database db, openStore(context));
    std::vector<store::LostSamples> all;
    for (const store::CampaignRow& campaign : campaigns) {
        TRY_OR_EXIT(const std::vector<store::LostSamples> lost, store::lostSamples(db, campaign.id));
        all.insert(all.end(), lost.begin(), lost.end());
    }
    if (all.empty())
        return Exit::done;
    std::int64_t samples = 0;
    for (const store::LostSamples& lost : all)
        samples += lost.samples;
    for (std::size_t i = 0; i < std::min(all.size(), kMostLostNamed); ++i)
        sayError("ringside-cli: {}", describe(all[i]));
    sayError("ringside-cli: {}{} samples of {} are gone: their files were removed, cut or damaged on the site. What "
             "was fetched is kept.",
             std::ranges::any_of(all, &store::LostSamples::isMost) ? "up to " : "", samples,
             report::counted(static_cast<int>(all.size()), "run", "runs"));
    return Exit::someFailed;
}

struct Target
{
    std::string experiment;
    ControlOrder order;
};

Result<void> requireExperiment(const Context& context, const store::Database& db, const std::string& name)
{
    TRY_ASSIGN(const auto row, store::experimentByName(db, name));
    if (row)
        return {};
    return fail(ErrorCode::notFound, fmt::format("There is no experiment “{}”.", plainText(name)),
                fmt::format("“{}” says what there is.", commandLine(context, "runs")));
}

/// An experiment and what is asked of it. A name that is not there is an error.
Result<Target> targetOf(const Context& context, const std::string& experiment, Control::Kind kind)
{
    TRY_ASSIGN(const store::Database db, openStore(context));
    TRY(requireExperiment(context, db, experiment));
    return Target{experiment, {{kind}, experiment}};
}

Result<Stock> stockOf(const Context& context, const std::string& experiment)
{
    TRY_ASSIGN(const store::Database db, openStore(context));
    TRY(requireExperiment(context, db, experiment));
    return ringside::stockOf(db, {experiment});
}

/// The runs to end: nothing is ever cancelled in place of a run that is not there.
Result<Target> targetOf(const Context& context, const CancelOptions& options)
{
    if (options.run.empty())
        return targetOf(context, options.experiment,
                        options.waiting ? Control::Kind::cancelWaiting : Control::Kind::cancel);
    TRY_ASSIGN(const store::Database db, openStore(context));
    TRY_ASSIGN(const store::RunRow run, findRun(context, db, options.run));
    return Target{run.experiment, {{Control::Kind::cancelRun, run.id}}};
}

/// Runs of the target that a campaign still has to do or is at.
Result<std::size_t> countUnended(const Context& context, const Target& target)
{
    TRY_ASSIGN(const store::Database db, openStore(context));
    store::RunFilter filter;
    filter.experiment = target.experiment;
    TRY_ASSIGN(const std::vector<store::RunRow> runs, store::runs(db, filter));
    const auto isMeant = [&](const store::RunRow& run) {
        const Control& control = target.order.control;
        if (control.kind == Control::Kind::cancelWaiting)
            return isWaiting(run.state);
        return control.kind != Control::Kind::cancelRun || run.id == control.run;
    };
    const auto isUnended = [&](const store::RunRow& run) { return run.inCampaign && isMeant(run); };
    return static_cast<std::size_t>(std::ranges::count_if(runs, isUnended));
}

/// Until all of the target has ended, kCancelLimit at most; then says what is left.
Exit awaitEnd(const Context& context, const Target& target, Watcher& watcher)
{
    const auto end = std::chrono::steady_clock::now() + kCancelLimit;
    for (;;) {
        TRY_OR_EXIT(const std::size_t left, countUnended(context, target));
        if (left == 0)
            return Exit::done;
        if (std::chrono::steady_clock::now() >= end) {
            sayError("ringside-cli: The request was sent; {} not ended yet. “{}” says when.",
                     report::counted(static_cast<int>(left), "run has", "runs have"), commandLine(context, "collect"));
            return Exit::detached;
        }
        sayProblems(watcher.next(100ms).problems);
    }
}

/// The runs of an experiment file.
struct Preview
{
    CheckedFile checked;
    std::optional<spec::Matrix> matrix; ///< nullopt if something blocks it
};

Result<Preview> preview(const std::string& file, const fs::path& worker, bool isSmall)
{
    Preview preview;
    TRY_ASSIGN(preview.checked, readChecked(file, {}, worker, Asking::ifUnknown, isSmall));
    if (!spec::hasBlocking(preview.checked.outcome.checks)) {
        TRY_ASSIGN(preview.matrix, spec::expand(*preview.checked.outcome.experiment));
    }
    return preview;
}

Json toJson(const Preview& preview)
{
    const auto& experiment = preview.checked.outcome.experiment;
    const Json checks =
        mapped<Json>(preview.checked.outcome.checks, [&](const spec::Check& check) { return cli::toJson(check); });
    return {{"name", experiment ? Json(experiment->name) : Json(nullptr)},
            {"configurations", preview.matrix ? Json(preview.matrix->configurations.size()) : Json(nullptr)},
            {"runs", preview.matrix ? Json(preview.matrix->runs.size()) : Json(nullptr)},
            {"notes", preview.matrix ? Json(preview.matrix->notes) : Json::array()},
            {"checks", std::move(checks)}};
}

void printPreview(const Preview& preview, const std::string& file)
{
    for (const spec::Check& check : preview.checked.outcome.checks)
        sayError("{}: {}", spec::nameOf(check.severity), spec::toText(check, file));
    if (!preview.matrix)
        return;
    const auto configurations = static_cast<int>(preview.matrix->configurations.size());
    const auto runs = static_cast<int>(preview.matrix->runs.size());
    printText("{}: {}, {}\n", preview.checked.outcome.experiment->name,
              report::counted(configurations, "configuration", "configurations"), report::counted(runs, "run", "runs"));
    for (const std::string& note : preview.matrix->notes)
        printText("{}\n", note);
}

} // namespace

Exit collect(const Context& context)
{
    if (const auto there = requireStore(context); !there)
        return report(there.error());
    return withConductor(context, [&](Watcher& watcher, const Ask& ask) {
        const auto unfinished = unfinishedCampaigns(context); // only now can a database of an earlier version be read
        const Result<void> collected = ask(bringUpToDate);
        const Exit told = tellStates(context, {}); // a site that is away hides nothing of the others
        const Exit lost = watcher.sawNewer() ? Exit::done : tellLost(context, unfinished);
        if (!collected)
            return report(collected.error());
        return told == Exit::done && !watcher.sawDamage() ? lost : told;
    });
}

Exit cancel(const Context& context, const CancelOptions& options)
{
    TRY_OR_EXIT(const Target target, targetOf(context, options));
    return giveOrder(context, target.order, [&](Watcher& watcher) {
        const Exit exit = awaitEnd(context, target, watcher);
        const Exit told = tellStates(context, target.experiment);
        return exit == Exit::done ? told : exit;
    });
}

Exit steer(const Context& context, const std::string& experiment, Control::Kind kind)
{
    TRY_OR_EXIT(const Target target, targetOf(context, experiment, kind));
    return giveOrder(context, target.order, [&](Watcher&) { return tellStates(context, experiment); });
}

Exit setArchived(const Context& context, const std::string& experiment, bool archived)
{
    if (const auto there = stockOf(context, experiment); !there)
        return report(there.error());
    const auto order = [&](Conductor& conductor, Completion<> done) {
        conductor.setArchived(experiment, archived, std::move(done));
    };
    return withConductor(context, [&](Watcher&, const Ask& ask) {
        const Result<void> changed = ask(order);
        return changed ? tellStates(context, experiment) : report(changed.error());
    });
}

Exit deleteExperiment(const Context& context, const DeleteOptions& options)
{
    TRY_OR_EXIT(const Stock stock, stockOf(context, options.experiment));
    const std::string name = plainText(options.experiment);
    if (!options.yes)
        return report({ErrorCode::usage, fmt::format("Delete “{}”? {}", name, lossText(stock)),
                       fmt::format("Nothing was deleted; --yes does it, and “{}” archives.",
                                   commandLine(context, "archive", shellQuote(options.experiment)))});
    const auto order = [&](Conductor& conductor, Completion<> done) {
        conductor.deleteExperiment(options.experiment, std::move(done));
    };
    return withConductor(context, [&](Watcher&, const Ask& ask) {
        if (const auto deleted = ask(order); !deleted)
            return report(deleted.error());
        sayError("{}: deleted, with {}", name, report::counted(stock.runs, "run", "runs"));
        if (context.json)
            print({{"experiment", options.experiment}, {"runs", stock.runs}});
        return Exit::done;
    });
}

Exit check(const Context& context, const std::string& file, bool isSmall)
{
    TRY_OR_EXIT(const ConductorOptions programs, conductorOptions(context));
    TRY_OR_EXIT(const Preview seen, preview(file, programs.worker, isSmall));
    if (context.json)
        print(toJson(seen));
    else
        printPreview(seen, file);
    return seen.matrix ? Exit::done : exitOf(seen.checked.refusal);
}

} // namespace ringside::cli
