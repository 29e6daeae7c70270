// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of ringside-cli, one function each. Blocking; results to standard output, progress to standard error.
#pragma once

#include "app/cli/context.h"
#include "core/protocol/calibration.h"
#include "core/protocol/control.h"
#include "core/report/figure.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::cli {

struct RunOptions
{
    std::string file;
    std::string site;   ///< empty: as the file says
    bool small = false; ///< in its small form
    bool retryFailed = false;
    bool installTorch = false; ///< on the site, where none is found
    int contactLimit = 120;    ///< s; so long a site that does not answer is tried
};
/// Saves a revision, does what is missing, waits for its end. Ctrl+C detaches; so does a site that stays silent.
Exit run(const Context& context, const RunOptions& options);

struct ScriptOptions
{
    std::string file;
    std::string site; ///< empty: as the file says
};
/// Puts plan and job script of what is missing on a site, prints the script, and submits nothing: a person does.
/// “collect” then finds what that job makes.
Exit script(const Context& context, const ScriptOptions& options);

struct SiteOptions
{
    std::string name;
    std::string host; ///< "kim@alder:22", or an alias of ~/.ssh/config; empty: the name is one
    std::string root;
    std::string partition;
    bool yes = false;          ///< remove without being asked for it
    bool computeNode = false;  ///< test a compute node, too
    bool installTorch = false; ///< on the site, where none is found; recorded in its file
};
Exit listSites(const Context& context);
Exit addSite(const SiteOptions& options);
/// Refused while runs there wait or run.
Exit removeSite(const Context& context, const SiteOptions& options);
/// Connects, and gets the site ready for campaigns: the agent, a worker. Asks at the terminal what it has to.
Exit testSite(const Context& context, const SiteOptions& options);
/// Lists what Ringside has put there; with `yes` removes everything that is stored and no longer needed.
Exit cleanSite(const Context& context, const SiteOptions& options);

struct EngineOptions
{
    std::string name;
    std::string site = "local";
    bool yes = false;   ///< install without being asked for it
    std::string python; ///< on the site: an interpreter that has it, or makes its environment
    std::string wheels; ///< a folder there, in place of the package index
    std::vector<std::string> modules;
};
/// The systems that there are tables for, with what the site has of them.
Exit listEngines(const Context& context, const EngineOptions& options);
/// Ten iterations on one rank and on two, and what was seen. Ctrl+C stops it, and leaves as little.
Exit checkEngine(const Context& context, const EngineOptions& options);
/// Says what it would be; with `yes` installs it. Ctrl+C cancels.
Exit installEngine(const Context& context, const EngineOptions& options);
Exit removeEngine(const Context& context, const EngineOptions& options);

struct CalibrateOptions
{
    std::string site;
    int nodes = 1;
    int ranksPerNode = 2;
    std::optional<int> coresPerRank = {}; ///< nullopt: as runs have by default on this device
    CalibrationMeans means = {};
    bool show = false; ///< what is known; nothing is measured
};
/// Measures a site by a run there, waits for its end and shows what it found; as `run` otherwise.
Exit calibrate(const Context& context, const CalibrateOptions& options);

/// Brings states and samples up to date.
Exit collect(const Context& context);

struct CancelOptions
{
    std::string experiment; ///< everything of it that has not ended …
    bool waiting = false;   ///< … or only what of it has not begun …
    std::string run;        ///< … or one run, by number or id
};
/// Asks the site, and waits (half a minute at most) until it is so; Exit::detached if it is not by then.
Exit cancel(const Context& context, const CancelOptions& options);

/// Lets what runs of an experiment end and begins nothing more of it, or goes on with what is held.
Exit steer(const Context& context, const std::string& experiment, Control::Kind kind);

/// Out of the window's list, with all that it has, or back.
Exit setArchived(const Context& context, const std::string& experiment, bool archived);

struct DeleteOptions
{
    std::string experiment;
    bool yes = false; ///< else only what would be lost is listed
};
/// With its runs and samples, for good. Refused while runs of it wait or run.
Exit deleteExperiment(const Context& context, const DeleteOptions& options);

/// Validates an experiment file and says what it would run.
Exit check(const Context& context, const std::string& file, bool isSmall);

struct PlansOptions
{
    std::string name;   ///< one of them with all that is known of it; empty: all
    bool parts = false; ///< what others are put together from, alone
};
/// The built-in aggregation plans, and the parts of one's own.
Exit plans(const Context& context, const PlansOptions& options);

struct ListOptions
{
    std::string experiment; ///< empty: all
};
Exit listRuns(const Context& context, const ListOptions& options);

/// One run: settings, attempts, facts. `run` is a number or an id.
Exit show(const Context& context, const std::string& run);

struct CompareOptions
{
    std::string experiment;
    std::string show = "throughput";
    std::string base; ///< "ranks=1,…"; empty: the experiment's rule
    bool keepNan = false;
    std::vector<std::string> leftOut = {}; ///< "plan=horovod": levels that are not shown
    bool leaveOutDisturbed = false;
    report::FigureRequest layout = {};
};
/// Names of what the window copies of a comparison and exports beside its figure: the forms of its table first.
std::vector<std::string> compareForms();
/// Prints it in one of these forms; an empty `form`: text for people, or JSON.
Exit compare(const Context& context, const CompareOptions& options, const std::string& form = {});

struct ImportOptions
{
    std::vector<std::string> files;  ///< and folders
    std::string experiment;          ///< empty: a new one, named after the first file
    std::string as;                  ///< the form of all of them; empty: each is recognised
    std::vector<std::string> set;    ///< "batch_per_rank=32": settings missing from the logs
    bool dryRun = false;             ///< say what was understood, and store nothing
    std::optional<std::string> line; ///< in place of files: say what each form makes of it
};
/// Says what was understood, and stores it unless something is missing. Needs no site, and no store for a dry run.
Exit importLogs(const Context& context, const ImportOptions& options);

struct FigureOptions
{
    CompareOptions compare;
    std::string run;                     ///< of a timeline: number or id; empty: report::runForTimeline
    std::optional<int> iteration;        ///< of a timeline; absent: the last that was recorded in detail
    std::string to;                      ///< its suffix says which format; empty: `into`
    std::string into;                    ///< a folder: all files that the window exports
    std::vector<std::string> files;      ///< which of them; empty: those that it ticks at first
    std::optional<std::string> caption;  ///< in place of the figure's own
    bool replace = false;                ///< files that are there
    double widthMm = 88.9, heightMm = 0; ///< height 0: what the figure needs
    double textPt = 8;
    bool outlines = false; ///< letters as shapes
};
Exit figure(const Context& context, const FigureOptions& options);

} // namespace ringside::cli
