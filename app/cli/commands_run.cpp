// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"

#include "app/cli/allowtorch.h"
#include "app/cli/answer.h"
#include "app/cli/carryout.h"
#include "app/cli/contact.h"
#include "app/cli/interrupt.h"
#include "app/cli/json.h"
#include "app/cli/output.h"
#include "app/cli/progress.h"
#include "app/cli/steps.h"
#include "app/cli/watcher.h"
#include "core/base/say.h"
#include "core/base/sequences.h"
#include "core/base/shellquote.h"
#include "core/campaign/missing.h"
#include "core/report/comparison.h"
#include "core/spec/toml.h"
#include "core/store/queries.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

namespace ringside::cli {

namespace {

using namespace std::chrono_literals;

/// More are counted; “runs” lists them all.
constexpr std::size_t kMostFailuresNamed = 10;

/// The limit for a campaign's end after its last run, and the period of looks for it. The runner ends at once.
constexpr auto kEndLimit = 10s;
constexpr auto kEndLook = 100ms;

enum class Cells
{
    all, ///< with those that are no longer in the matrix
    ofMatrix
};

Result<std::vector<store::RunRow>> runsOf(const ConductorOptions& options, const CheckedFile& file,
                                          Cells cells = Cells::ofMatrix)
{
    TRY_ASSIGN(const store::Database db, store::Database::openForReading(options.store));
    store::RunFilter filter;
    filter.experiment = file.outcome.experiment->name;
    filter.kind = RunKind::run;
    filter.onlyInMatrix = cells == Cells::ofMatrix;
    TRY_ASSIGN(std::vector<store::RunRow> rows, store::runs(db, filter));
    std::erase_if(rows, [&](const store::RunRow& row) { return row.site != file.site; });
    return rows;
}

/// Pictures that the ranks of its latest attempt could not decode; 0 if that is unknown.
std::uint64_t badPictures(const fs::path& path, const store::RunRow& run)
{
    const auto db = store::Database::openForReading(path);
    const auto attempts = db ? store::attempts(*db, run.id) : tl::unexpected(db.error());
    std::uint64_t bad = 0;
    if (attempts && !attempts->empty())
        for (const store::RankSummary& rank : attempts->back().ranks)
            bad += rank.badItems;
    return bad;
}

/// Campaigns of the experiment on its site, in the order in which they were launched.
Result<std::vector<store::CampaignRow>> unfinishedCampaigns(const ConductorOptions& options, const CheckedFile& file)
{
    TRY_ASSIGN(const store::Database db, store::Database::openForReading(options.store));
    TRY_ASSIGN(std::vector<store::CampaignRow> campaigns, store::campaigns(db, true));
    std::erase_if(campaigns, [&](const store::CampaignRow& campaign) {
        return campaign.experiment != file.outcome.experiment->name || campaign.site != file.site;
    });
    return campaigns;
}

/// Asks the person at the terminal where only one can bring contact back, as after a connection was cut whose password
/// is not stored. Once for each loss, so that no account is locked.
class SignInAgain
{
public:
    explicit SignInAgain(Conductor& conductor)
        : m_conductor(conductor)
    {
    }

    void update(const SiteStatus& status)
    {
        if (status.contact == SiteStatus::Contact::connected)
            m_wasAsked = false;
        else if (status.contact == SiteStatus::Contact::needsPerson && !std::exchange(m_wasAsked, true))
            ask();
    }
    /// While a person may be typing an answer.
    bool isAsking() const { return *m_isAsking; }

private:
    void ask()
    {
        *m_isAsking = true;
        m_conductor.collect([isAsking = m_isAsking](const Result<void>&) { *isAsking = false; });
    }

    Conductor& m_conductor;
    std::shared_ptr<std::atomic<bool>> m_isAsking = std::make_shared<std::atomic<bool>>(false);
    bool m_wasAsked = false;
};

/// Shows the runs until all have ended, Ctrl+C comes, contact is given up or the database cannot be written for long.
/// Other sites, whose campaigns the conductor follows as well, may be silent. `failure`: of the launch.
void follow(const std::string& site, Conductor& conductor, Watcher& watcher, Progress& progress, Contact& contact,
            const std::optional<Error>& failure)
{
    SignInAgain signIn(conductor);
    const auto say = [&](const std::optional<std::string>& line) {
        if (line)
            progress.say(*line);
    };
    const auto now = watcher.takeStatus(site); // contact may have been lost before the launch was answered
    say(contact.begin(now, failure));
    if (now)
        signIn.update(*now);
    while (!progress.allSaid() && !interrupted() && !watcher.unwritable() &&
           (!contact.isGivenUp() || signIn.isAsking())) {
        const Watcher::News news = watcher.next(200ms);
        for (const store::RunRow& run : news.runs)
            progress.update(run);
        for (const auto& [run, seq] : news.lastSeq)
            progress.advance(run, seq);
        for (const Error& problem : news.problems)
            progress.say("ringside-cli: " + problem.text());
        for (const SiteStatus& status : news.sites)
            if (status.name == site) {
                say(contact.update(status));
                signIn.update(status);
            }
        if (!signIn.isAsking())
            progress.draw();
    }
}

/// The last run ends a moment before its campaign does. Until that is stored the site counts as occupied, and a next
/// experiment would have to wait for this one.
void awaitEnd(Watcher& watcher, const ConductorOptions& options, const CheckedFile& file)
{
    const auto end = std::chrono::steady_clock::now() + kEndLimit;
    while (!interrupted() && std::chrono::steady_clock::now() < end) {
        const auto left = unfinishedCampaigns(options, file);
        if (!left || left->empty())
            return;
        sayProblems(watcher.next(kEndLook).problems);
    }
}

Exit detached(const Context& context, const std::string& experiment)
{
    const std::string cancel = commandLine(context, "cancel", "--experiment " + shellQuote(experiment));
    const std::string collect = commandLine(context, "collect");
    const std::size_t columns = std::max(width(cancel), width(collect));
    sayError("\nDetached: the runs continue without this program.\n"
             "  {}  fetches their samples later\n"
             "  {}  ends them",
             leftAligned(collect, columns), leftAligned(cancel, columns));
    return Exit::detached;
}

/// There is no contact: what the site has goes on there; what it has not is handed over when it answers.
Exit withoutContact(const Context& context, const Contact& contact, const std::vector<store::CampaignRow>& campaigns)
{
    const bool submitted = std::ranges::any_of(
        campaigns, [](const store::CampaignRow& campaign) { return campaign.stage == campaign::Stage::submitted; });
    sayError("\nringside-cli: {} {}\n"
             "  {}  {}",
             contact.why(),
             submitted ? "The runs that were submitted continue there."
                       : "Nothing seems to have been submitted; the runs are kept.",
             commandLine(context, "collect"),
             submitted ? "fetches their samples later" : "submits them as soon as the site answers");
    return Exit::unavailable;
}

/// Data that the runs write meanwhile stay on their site.
Exit withoutStorage(const Context& context, const Error& refusal)
{
    sayErrorLine("");
    const Exit exit = report(refusal);
    sayError("  The runs continue without this program.\n  {}  fetches their samples when there is room",
             commandLine(context, "collect"));
    return exit;
}

bool hasFailed(const store::RunRow& run)
{
    return run.state == RunState::failed || run.state == RunState::cancelled;
}

/// True if launching again leaves it as it is: it failed of its own, and would do so again.
bool isLeftAlone(const store::RunRow& run)
{
    campaign::KnownRun stored;
    stored.state = run.state;
    stored.cause = run.cause;
    return !campaign::isMissing(stored, false);
}

/// After the comparison, so that it is not overlooked.
void sayFailures(const Context& context, const std::vector<store::RunRow>& runs, const RunOptions& options)
{
    std::vector<store::RunRow> failed;
    std::ranges::copy_if(runs, std::back_inserter(failed), hasFailed);
    if (failed.empty())
        return;
    sayError("\n{} of {} runs failed or were cancelled:", failed.size(), runs.size());
    const RunNames names(runs);
    for (std::size_t i = 0; i < std::min(failed.size(), kMostFailuresNamed); ++i)
        sayError("  {}: {}", names.describe(failed[i]), outcome(failed[i]));
    if (failed.size() > kMostFailuresNamed)
        sayError("  … and {} more", failed.size() - kMostFailuresNamed);
    const std::string show = commandLine(context, "show", std::to_string(failed.front().number));
    const bool retry = std::ranges::any_of(failed, isLeftAlone);
    const std::string site = options.site.empty() ? "" : "--site " + shellQuote(options.site) + " ";
    const std::string again = commandLine(context, "run",
                                          site + (options.small ? "--small " : "") + (retry ? "--retry-failed " : "") +
                                              shellQuote(options.file));
    const std::size_t columns = std::max(width(show), width(again));
    sayError("  {}  shows all about a run, and where its logs are\n  {}  repeats them", leftAligned(show, columns),
             leftAligned(again, columns));
}

void printRuns(const std::vector<store::RunRow>& runs)
{
    const Json json = mapped<Json>(runs, [&](const store::RunRow& run) { return toJson(run); });
    print(json);
}

/// Against the base case. Without one, or where it is refused, which is reported, the throughput: what has run is
/// shown.
void tellComparison(const Context& context, const spec::Experiment& experiment)
{
    if (const auto refusal = report::whyNotCompared(experiment)) {
        report(*refusal);
        return;
    }
    CompareOptions options;
    options.experiment = experiment.name;
    if (!experiment.base.empty()) {
        options.show = "speedup";
        if (compare(context, options) != Exit::usage)
            return;
        options.show = "throughput";
    }
    compare(context, options);
}

Exit summary(const Context& context, const spec::Experiment& experiment, const std::vector<store::RunRow>& runs,
             const RunOptions& options)
{
    const auto isDone = [](const store::RunRow& run) { return run.state == RunState::done; };
    if (context.json)
        printRuns(runs);
    else if (std::ranges::any_of(runs, isDone))
        tellComparison(context, experiment);
    sayFailures(context, runs, options);
    return std::ranges::any_of(runs, hasFailed) ? Exit::someFailed : Exit::done;
}

/// True if a launch that failed is still to be carried out: its campaign is stored, and the conductor goes on trying.
bool isTriedAgain(const ConductorOptions& options, const CheckedFile& file, const Error& error)
{
    if (error.code != ErrorCode::timeout && error.code != ErrorCode::unavailable)
        return false;
    const auto campaigns = unfinishedCampaigns(options, file);
    return campaigns && !campaigns->empty();
}

Result<void> launch(Conductor& conductor, Watcher& watcher, const CheckedFile& checked, const RunOptions& options)
{
    Steps steps(checked.site);
    LaunchRequest request = launchOf(*checked.outcome.experiment, checked.site);
    request.retryFailed = options.retryFailed;
    return await(watcher, {kSiteLimit, &steps, &interrupted()},
                 [&](Completion<> done) { conductor.launch(request, std::move(done)); });
}

/// With the runs as they are stored now.
Carried carriedSoFar(Exit exit, const ConductorOptions& programs, const CheckedFile& checked)
{
    Carried carried(exit);
    TRY_OR_EXIT(carried.runs, runsOf(programs, checked));
    return carried;
}

/// Ctrl+C came before the launch was answered: its site may have been made ready still, with nothing stored.
Carried interruptedLaunch(const Context& context, const ConductorOptions& programs, const CheckedFile& checked)
{
    TRY_OR_EXIT(const std::vector<store::CampaignRow> begun, unfinishedCampaigns(programs, checked));
    if (!begun.empty())
        return carriedSoFar(detached(context, checked.outcome.experiment->name), programs, checked);
    return report({ErrorCode::cancelled, "Stopped; nothing was launched.",
                   "What was made ready on the site is kept: repeat the command to go on from there."});
}

/// Reports what kept the command from following the runs to their end; nullopt: nothing did.
std::optional<Exit> earlyEnd(const Context& context, const ConductorOptions& programs, const CheckedFile& checked,
                             Watcher& watcher, const Contact& contact, const Progress& progress)
{
    if (contact.isGivenUp()) {
        TRY_OR_EXIT(const std::vector<store::CampaignRow> left, unfinishedCampaigns(programs, checked));
        return withoutContact(context, contact, left);
    }
    if (const auto refusal = watcher.unwritable())
        return withoutStorage(context, *refusal);
    if (!progress.allEnded())
        return detached(context, checked.outcome.experiment->name);
    return std::nullopt;
}

} // namespace

Carried carryOut(const Context& context, const ConductorOptions& programs, const CheckedFile& checked,
                 const RunOptions& options)
{
    if (options.installTorch)
        if (const auto allowed = allowTorch(checked.site); !allowed)
            return report(allowed.error());
    watchForInterrupt();
    Watcher watcher;
    TRY_OR_EXIT(std::unique_ptr<Conductor> conductor, openConductor(programs, watcher));
    TRY_OR_EXIT(const std::vector<store::RunRow> before, runsOf(programs, checked, Cells::all));
    Contact contact{std::chrono::seconds(options.contactLimit)};
    const auto launched = launch(*conductor, watcher, checked, options);
    if (!launched && interrupted()) {
        conductor.reset(); // from now on it stores nothing more
        return interruptedLaunch(context, programs, checked);
    }
    if (!launched && !isTriedAgain(programs, checked, launched.error()))
        return report(launched.error());
    TRY_OR_EXIT(const std::vector<store::RunRow> rows, runsOf(programs, checked));
    Progress progress(before, [&](const store::RunRow& run) { return badPictures(programs.store, run); });
    progress.watch(rows);
    follow(checked.site, *conductor, watcher, progress, contact,
           launched ? std::nullopt : std::optional(launched.error()));
    if (const auto exit = earlyEnd(context, programs, checked, watcher, contact, progress))
        return carriedSoFar(*exit, programs, checked);
    awaitEnd(watcher, programs, checked);
    conductor.reset();
    Carried carried(watcher.sawDamage() ? Exit::damaged : Exit::done);
    TRY_OR_EXIT(carried.runs, runsOf(programs, checked));
    carried.ended = true;
    return carried;
}

Exit run(const Context& context, const RunOptions& options)
{
    TRY_OR_EXIT(const ConductorOptions programs, conductorOptions(context));
    TRY_OR_EXIT(const CheckedFile checked, readForLaunch(options.file, options.site, programs.worker, options.small));
    const Carried carried = carryOut(context, programs, checked, options);
    if (!carried.ended && carried.hasBegun() && context.json)
        printRuns(carried.runs);
    if (!carried.ended)
        return carried.exit;
    const Exit exit = summary(context, *checked.outcome.experiment, carried.runs, options);
    return exit == Exit::done ? carried.exit : exit;
}

} // namespace ringside::cli
