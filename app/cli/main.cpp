// SPDX-License-Identifier: GPL-3.0-or-later
// ringside-cli: what the window does, for scripts. Options here; the commands in commands_*.cpp.
#include "app/cli/analysisrequest.h"
#include "app/cli/output.h"
#include "app/figures/formats/format.h"
#include "core/adapters/adapterbook.h"
#include "core/base/child.h"
#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/report/figurewords.h"
#include "core/report/tableforms.h"

#include <CLI/CLI.hpp>
#include <QGuiApplication>
#include <algorithm>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <fmt/ranges.h>
#include <functional>
#include <optional>

namespace {

using namespace ringside;
using namespace ringside::cli;

constexpr const char* kFooter = R"(
A first session:
  ringside-cli check resources/experiments/first-light.toml           what would run, and what is wrong
  ringside-cli run resources/experiments/first-light.toml             does what is missing; Ctrl+C detaches
  ringside-cli compare --experiment first-light --show speedup        against the base case, with intervals
  ringside-cli figure --experiment first-light --show phases --to phases.pdf

Exit status: 0 all done, 1 a defect of Ringside, 2 usage or experiment file, 3 some runs failed or were cancelled,
65 damaged data, 69 site or display not available, 73 cannot write, 75 the store or the experiment is in use,
130 detached: it goes on without this program.

Environment: RINGSIDE_WORKER names another ringside-worker; XDG_DATA_HOME is where ringside/ringside.db lies.)";

/// The options of all commands, and the one that was chosen.
struct Parsed
{
    Context context;
    RunOptions run;
    ScriptOptions script;
    CancelOptions cancel;
    DeleteOptions remove;
    ListOptions list;
    PlansOptions plans;
    CompareOptions compare;
    FigureOptions figure;
    ImportOptions import;
    SiteOptions site;
    CalibrateOptions calibrate;
    EngineOptions engine;
    std::string form; ///< of compare
    std::string file, runName, experiment;
    std::function<Exit()> command;
};

/// Refuses "": an empty name must not stand for everything.
const CLI::Validator kNotEmpty([](const std::string& text) { return text.empty() ? "must not be empty" : ""; }, "");

/// Those of the common options that mean something for a command.
struct Common
{
    bool store = true;
    bool json = true;
};

CLI::App* subcommand(CLI::App& app, Parsed& parsed, const char* name, const char* help, const char* example,
                     std::function<Exit()> command, Common common = {})
{
    CLI::App* sub = app.add_subcommand(name, help);
    const std::string before = app.get_parent() ? app.get_name() + " " : ""; // as "site" is before "add"
    sub->footer("\nExample:\n  ringside-cli " + before + name + " " + example);
    if (common.store)
        sub->add_option("--store", parsed.context.store, "Database file (default: ringside.db in the data folder)")
            ->check(kNotEmpty);
    if (common.json)
        sub->add_flag("--json", parsed.context.json, "Only JSON on standard output");
    sub->callback([&parsed, command = std::move(command)] { parsed.command = command; });
    return sub;
}

void addCompareOptions(CLI::App* sub, CompareOptions& options)
{
    sub->add_option("--experiment", options.experiment, "Name of the experiment")->required();
    sub->add_option("--base", options.base, "Base case, e.g. ranks=1 (default: the experiment's)");
    sub->add_flag("--keep-nan", options.keepNan, "Count runs whose loss was not a number, too");
    sub->add_flag("--leave-out-disturbed", options.leaveOutDisturbed, "Count disturbed runs, but in no median");
    sub->add_option("--leave-out", options.leftOut, "Levels that are not shown, e.g. plan=one,ranks=1")->delimiter(',');
    sub->add_option("--x", options.layout.x, "Factor along x (default: ranks)")->check(kNotEmpty);
    sub->add_option("--series", options.layout.series, "Factor that becomes series (default: engine, else plan)")
        ->check(kNotEmpty);
    sub->add_option("--panels", options.layout.panels, "Factor that becomes panels (default: model)")->check(kNotEmpty);
}

void addRunCommands(CLI::App& app, Parsed& p)
{
    CLI::App* run = subcommand(app, p, "run", "Run what is missing of an experiment, and wait for it",
                               "resources/experiments/first-light.toml --retry-failed",
                               [&p] { return cli::run(p.context, p.run); });
    run->add_option("FILE", p.run.file, "Experiment file (TOML)")->required();
    CLI::Option* site =
        run->add_option("--site", p.run.site, "Where to run (default: as the file says, else this computer)")
            ->check(kNotEmpty);
    CLI::App* check =
        subcommand(app, p, "check", "Validate an experiment file", "resources/experiments/first-light.toml --json",
                   [&p] { return cli::check(p.context, p.file, p.run.small); });
    check->add_option("FILE", p.file, "Experiment file (TOML)")->required();
    constexpr const char* kSmall = "In its small form, on this computer: minutes, one or two ranks";
    run->add_flag("--small", p.run.small, kSmall)->excludes(site);
    check->add_flag("--small", p.run.small, kSmall);
    run->add_flag("--retry-failed", p.run.retryFailed, "Also repeat runs that failed of their own");
    run->add_flag("--install-torch", p.run.installTorch,
                  "Install a torch on the site if it has none; saved in the site's file");
    run->add_option("--contact-limit", p.run.contactLimit, "Seconds to try a site that does not answer")
        ->check(CLI::Range(1, 86'400))
        ->capture_default_str();
    subcommand(app, p, "collect", "Bring states and samples up to date", "--json",
               [&p] { return cli::collect(p.context); });
    CLI::App* script = subcommand(app, p, "script", "Write plan and job script on a cluster, to be submitted by hand",
                                  "resources/experiments/three-nodes.toml --site alder",
                                  [&p] { return cli::script(p.context, p.script); });
    script->add_option("FILE", p.script.file, "Experiment file (TOML)")->required();
    script->add_option("--site", p.script.site, "Which cluster (default: as the file says)")->check(kNotEmpty);
}

void addCalibrateCommand(CLI::App& app, Parsed& p)
{
    CLI::App* calibrate =
        subcommand(app, p, "calibrate", "Measure what a site can do: cores, memory, disk, links, GPUs",
                   "alder --nodes 2", [&p] { return cli::calibrate(p.context, p.calibrate); });
    calibrate->add_option("SITE", p.calibrate.site, "Name of the site; “local” is this computer")->required();
    const auto count = [&](const char* name, int& value, const char* help) {
        calibrate->add_option(name, value, help)->check(CLI::Range(1, 65'536))->capture_default_str();
    };
    count("--nodes", p.calibrate.nodes, "Machines; the links between them are measured, too");
    count("--ranks-per-node", p.calibrate.ranksPerNode, "Ranks on each");
    calibrate
        ->add_option("--cores-per-rank", p.calibrate.coresPerRank,
                     fmt::format("Cores that a rank computes with (default: {}; with --device cuda: {})",
                                 spec::standardCores("cpu"), spec::standardCores("cuda")))
        ->check(CLI::Range(1, 65'536));
    const auto word = [&](const char* name, std::string& value, const char* help) {
        calibrate->add_option(name, value, help)->capture_default_str();
    };
    word("--device", p.calibrate.means.device, "cuda: the GPU of each rank, too (not run on one so far)");
    word("--backend", p.calibrate.means.backend,
         "What sums: launcher; nccl, in the GPUs' memory (not run on one so far); auto: MPI or TCP, the faster");
    word("--interface", p.calibrate.means.interface, "The network between nodes, by its name on them");
    calibrate->add_flag("--show", p.calibrate.show, "Show what is known, and measure nothing");
}

void addSteeringCommands(CLI::App& app, Parsed& p)
{
    CLI::App* hold = subcommand(app, p, "hold", "Let the current run end, and start no other", "first-light",
                                [&p] { return cli::steer(p.context, p.experiment, Control::Kind::hold); });
    CLI::App* proceed = subcommand(app, p, "continue", "Continue an experiment that is held", "first-light",
                                   [&p] { return cli::steer(p.context, p.experiment, Control::Kind::proceed); });
    for (CLI::App* each : {hold, proceed})
        each->add_option("EXPERIMENT", p.experiment, "Name of the experiment")->required()->check(kNotEmpty);
    CLI::App* cancel = subcommand(app, p, "cancel", "End what has not ended of an experiment, or one run",
                                  "first-light", [&p] { return cli::cancel(p.context, p.cancel); });
    CLI::Option_group* what = cancel->add_option_group("What to end", "one of these two");
    CLI::Option* all =
        what->add_option("EXPERIMENT,--experiment", p.cancel.experiment, "Name of the experiment")->check(kNotEmpty);
    what->add_option("--run", p.cancel.run, "Number or id of a run")->check(kNotEmpty);
    what->require_option(1);
    cancel->add_flag("--waiting", p.cancel.waiting, "Only what has not begun; what is running continues")->needs(all);
}

void addKeepingCommands(CLI::App& app, Parsed& p)
{
    CLI::App* archive = subcommand(app, p, "archive", "Remove an experiment from the list, and keep all its data",
                                   "first-light", [&p] { return setArchived(p.context, p.experiment, true); });
    CLI::App* unarchive = subcommand(app, p, "unarchive", "Return an experiment to the list", "first-light",
                                     [&p] { return setArchived(p.context, p.experiment, false); });
    for (CLI::App* each : {archive, unarchive})
        each->add_option("EXPERIMENT", p.experiment, "Name of the experiment")->required()->check(kNotEmpty);
    CLI::App* remove = subcommand(app, p, "delete", "Say what would be lost with an experiment, or delete it for good",
                                  "first-light --yes", [&p] { return deleteExperiment(p.context, p.remove); });
    remove->add_option("EXPERIMENT", p.remove.experiment, "Name of the experiment")->required()->check(kNotEmpty);
    remove->add_flag("--yes", p.remove.yes, "Delete it, with its runs and samples");
}

void addReadCommands(CLI::App& app, Parsed& p)
{
    CLI::App* runs = subcommand(app, p, "runs", "List runs", "--experiment first-light --json",
                                [&p] { return listRuns(p.context, p.list); });
    runs->add_option("--experiment", p.list.experiment, "Only of this experiment")->check(kNotEmpty);
    CLI::App* show = subcommand(app, p, "show", "All about one run: settings, attempts, facts, logs (JSON)", "12",
                                [&p] { return cli::show(p.context, p.runName); });
    show->add_option("RUN", p.runName, "Number or id")->required();
    CLI::App* plans =
        subcommand(app, p, "plans", "List the built-in aggregation plans and where their numbers come from",
                   "horovod --json", [&p] { return cli::plans(p.context, p.plans); }, {.store = false});
    CLI::Option* name = plans->add_option("NAME", p.plans.name, "Only this one, with its sources")->check(kNotEmpty);
    plans->add_flag("--parts", p.plans.parts, "Only the parts that a plan of your own is put together from")
        ->excludes(name);
}

/// Comparisons with a limit let "nan" pass.
const CLI::Validator kFinite(
    [](const std::string& text) {
        double number = 0;
        return CLI::detail::lexical_cast(text, number) && !std::isfinite(number) ? "must be a number" : "";
    },
    "");

/// As far as the window's dialog goes.
void addPaperOptions(CLI::App* figure, FigureOptions& options)
{
    const auto number = [&](const char* name, double& value, const CLI::Range& range, const char* help) {
        figure->add_option(name, value, help)->check(kFinite)->check(range)->capture_default_str();
    };
    number("--width", options.widthMm, CLI::Range(40.0, 400.0), "Width in mm: 88.9 is one column, 182 two");
    number("--height", options.heightMm, CLI::Range(0.0, 300.0), "Height in mm; 0: as much as the figure needs");
    number("--text", options.textPt, CLI::Range(8.0, 14.0), "Size of its text in pt");
    figure->add_flag("--outlines", options.outlines, "Letters as shapes, for publishers that want no fonts");
}

void addExportOptions(CLI::App* figure, CLI::Option* into, FigureOptions& options)
{
    figure
        ->add_option(
            "--files", options.files,
            fmt::format("Which of them: {} (default: those that the window ticks at first)", figures::formatNames()))
        ->delimiter(',')
        ->needs(into);
    figure->add_option("--caption", options.caption, "Caption in place of the figure's own")->needs(into);
    figure->add_flag("--replace", options.replace, "Replace files that are there (default: number the new ones)")
        ->needs(into);
}

/// Refuses what compare() has no form for.
const CLI::Validator kIsForm(
    [](const std::string& word) {
        const std::vector<std::string> forms = cli::compareForms();
        return contains(forms, word) ? ""
                                     : fmt::format("“{}” is no form of a table. Choose from {}.", plainText(word),
                                                   report::enumerate(forms));
    },
    "");

void addCompareCommand(CLI::App& app, Parsed& p)
{
    CLI::App* compare = subcommand(app, p, "compare", "Compare the configurations of an experiment",
                                   "--experiment first-light --show speedup --base ranks=1",
                                   [&p] { return cli::compare(p.context, p.compare, p.form); });
    addCompareOptions(compare, p.compare);
    compare->add_option("--show", p.compare.show, cli::kindsText(false))->capture_default_str();
    compare
        ->add_option("--as", p.form,
                     fmt::format("{}: the summary table; caption; provenance: what the figure is made from (JSON); "
                                 "runs: a line for each (CSV)",
                                 joined(report::tableForms(), " or ", &report::TableForm::name)))
        ->check(kIsForm)
        ->excludes("--json");
}

void addFigureCommand(CLI::App& app, Parsed& p)
{
    CLI::App* figure = subcommand(app, p, "figure", "Write a figure for a paper",
                                  "--experiment first-light --show phases --to phases.pdf --width 182",
                                  [&p] { return cli::figure(p.context, p.figure); });
    addCompareOptions(figure, p.figure.compare);
    figure->add_option("--show", p.figure.compare.show, cli::kindsText(true))->capture_default_str();
    figure->add_option("--run", p.figure.run, "Of a timeline: number or id (default: the last of what is compared)")
        ->check(kNotEmpty);
    figure
        ->add_option("--in-colour", p.figure.compare.layout.coloured,
                     "Series in colour where there are more than seven, by name (default: base case and best)")
        ->delimiter(',');
    figure->add_option("--iteration", p.figure.iteration, "Of a timeline (default: the last recorded in detail)")
        ->check(CLI::NonNegativeNumber);
    CLI::Option_group* where = figure->add_option_group("Where to", "one of these two");
    where
        ->add_option("--to", p.figure.to,
                     fmt::format("File to write, by its suffix: {} (.json: the trace of a timeline)",
                                 figures::formatExtensions()))
        ->check(kNotEmpty);
    CLI::Option* into =
        where->add_option("--into", p.figure.into, "Folder for all files that the window exports")->check(kNotEmpty);
    where->require_option(1);
    addExportOptions(figure, into, p.figure);
    addPaperOptions(figure, p.figure);
}

void addImportCommand(CLI::App& app, Parsed& p)
{
    CLI::App* import = subcommand(app, p, "import", "Read logs of other programs as runs; a folder stands for its logs",
                                  "train.log --set batch_per_rank=32 --set model=resnet50 --dry-run",
                                  [&p] { return importLogs(p.context, p.import); });
    CLI::Option_group* what = import->add_option_group("What to read", "files, or a line");
    what->add_option("FILE", p.import.files, "Logs, and folders of logs; rank-0.log, rank-1.log are one run")
        ->check(kNotEmpty);
    what->add_option("--line", p.import.line, "Say what each form makes of this line of a log");
    what->require_option(1);
    import->add_option("--experiment", p.import.experiment, "Where to (default: a new one, named after the first file)")
        ->check(kNotEmpty);
    import->add_option("--as", p.import.as, "Which form the logs have, e.g. mxnet (default: as recognised)");
    import
        ->add_option("--set", p.import.set,
                     "What the logs do not contain: one KEY=VALUE, as in an experiment file; can be repeated")
        ->allow_extra_args(false)
        ->check(kNotEmpty);
    import->add_flag("--dry-run", p.import.dryRun, "Say what was understood, and store nothing");
}

void addSiteCommands(CLI::App& app, Parsed& p)
{
    CLI::App* site = app.add_subcommand("site", "Clusters and hosts where experiments can run");
    site->require_subcommand(1);
    subcommand(*site, p, "list", "The sites that are known", "--json", [&p] { return listSites(p.context); },
               {.store = false});
    CLI::App* add = subcommand(*site, p, "add", "Add a site", "alder kim@alder.example.org",
                               [&p] { return addSite(p.site); }, {.store = false, .json = false});
    add->add_option("NAME", p.site.name, "What it is to be called")->required();
    add->add_option("HOST", p.site.host, "Login node: [USER@]HOST[:PORT] (default: NAME, as ~/.ssh/config knows it)");
    add->add_option("--root", p.site.root, "Folder for Ringside's files there (default: .ringside in the home folder)");
    add->add_option("--partition", p.site.partition, "partition of the cluster (default: its own)");
    CLI::App* remove = subcommand(*site, p, "remove", "Forget a site; nothing there is touched", "alder",
                                  [&p] { return removeSite(p.context, p.site); }, {.json = false});
    CLI::App* test = subcommand(*site, p, "test", "Connect, step by step, and get the site ready", "alder --json",
                                [&p] { return testSite(p.context, p.site); });
    test->add_flag("--compute-node", p.site.computeNode, "Ask a compute node, too; waits in the queue");
    for (CLI::App* each : {add, test})
        each->add_flag("--install-torch", p.site.installTorch,
                       "Install a torch there, for Ringside alone, if there is none (3 GB); saved in the site's file");
    CLI::App* clean = subcommand(*site, p, "clean", "List what Ringside has put there, or remove it", "alder --yes",
                                 [&p] { return cleanSite(p.context, p.site); });
    clean->add_flag("--yes", p.site.yes, "Remove all that is no longer needed; never a sample that is not stored");
    for (CLI::App* each : {remove, test, clean})
        each->add_option("NAME", p.site.name, "Name of the site")->required();
}

void addEngineCommands(CLI::App& app, Parsed& p)
{
    constexpr Common kNoStore{.store = false}; // what is installed belongs to the site
    CLI::App* engine = app.add_subcommand("engine", "Other systems than Ringside's own: MXNet, PyTorch, TensorFlow …");
    engine->require_subcommand(1);
    CLI::App* list = subcommand(
        *engine, p, "list", "All that there are tables for, with what a site has of them", "--site alder --json",
        [&p] { return listEngines(p.context, p.engine); }, kNoStore);
    CLI::App* check = subcommand(
        *engine, p, "check", "Train ten iterations on one rank and on two, and say what was seen", "pytorch",
        [&p] { return checkEngine(p.context, p.engine); }, kNoStore);
    CLI::App* install = subcommand( // the store says which campaigns wait for what is there
        *engine, p, "install", "Show what a system is and needs, or install it for Ringside alone", "pytorch --yes",
        [&p] { return installEngine(p.context, p.engine); });
    install->add_flag("--yes", p.engine.yes, "Install it");
    install->add_option("--python", p.engine.python, "Interpreter there that has it, or makes its environment")
        ->check(kNotEmpty);
    install->add_option("--wheels", p.engine.wheels, "Folder of wheels there, in place of the package index")
        ->check(kNotEmpty);
    install->add_option("--module", p.engine.modules, "Module to load first; its python3 is used; can be repeated")
        ->allow_extra_args(false)
        ->check(kNotEmpty);
    CLI::App* remove = subcommand( // the store says which campaigns wait for it
        *engine, p, "remove", "Remove what was installed, or what an installation left", "pytorch --site alder",
        [&p] { return removeEngine(p.context, p.engine); });
    for (CLI::App* each : {check, install, remove})
        each->add_option("NAME", p.engine.name, "Name of the system, as experiments have it")->required();
    for (CLI::App* each : {list, check, install, remove})
        each->add_option("--site", p.engine.site, "Name of the site")->check(kNotEmpty)->capture_default_str();
}

std::vector<std::string> commandNames(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands(nullptr))
        names.push_back(command->get_name());
    return names;
}

/// The first word, if it is meant as a command and is none: CLI11 would only say that one is missing.
std::optional<Error> unknownCommand(const CLI::App& app, const std::string& word)
{
    const std::vector<std::string> known = commandNames(app);
    if (word.empty() || word.front() == '-' || contains(known, word))
        return std::nullopt;
    const auto meant = closestWord(word, known);
    return Error{ErrorCode::usage, fmt::format("There is no command “{}”.", plainText(word)),
                 meant ? fmt::format("Did you mean “{}”?", *meant)
                       : fmt::format("There are: {}.", fmt::join(known, ", "))};
}

/// The exit status: a command whose output is not whole has not done its work.
int ended(Exit exit)
{
    if (!isPrinted())
        exit = cli::report({ErrorCode::io, "Not all of the output could be written: standard output took no more.",
                            "Make room where it goes, or let its reader run on; then repeat the command."});
    return static_cast<int>(exit);
}

int runProgram(int argc, char** argv)
{
    CLI::App app("Set up, launch, watch and compare distributed training experiments", "ringside-cli");
    app.footer(kFooter);
    app.set_version_flag("--version", "ringside-cli " RINGSIDE_VERSION);
    app.require_subcommand(1);
    ringside::adapters::usersAdapters();
    Parsed parsed;
    addRunCommands(app, parsed);
    addCalibrateCommand(app, parsed);
    addSteeringCommands(app, parsed);
    addKeepingCommands(app, parsed);
    addReadCommands(app, parsed);
    addCompareCommand(app, parsed);
    addFigureCommand(app, parsed);
    addImportCommand(app, parsed);
    addSiteCommands(app, parsed);
    addEngineCommands(app, parsed);
    if (const auto unknown = unknownCommand(app, argc > 1 ? argv[1] : ""))
        return ended(cli::report(*unknown));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return ended(app.exit(error) == 0 ? Exit::done : Exit::usage);
    }
    // Fonts and PDF need a QGuiApplication; a terminal program must not need a display for it.
    setenv("QT_QPA_PLATFORM", "offscreen", 1);
    setenv("QT_LOGGING_RULES", "default.warning=false", 0); // Qt's own remarks, such as on XDG_RUNTIME_DIR
    const QGuiApplication gui(argc, argv);
    return ended(parsed.command());
}

} // namespace

int main(int argc, char** argv)
{
    heedEndsOfChildren();
    std::setlocale(LC_ALL, "C.UTF-8");
    try {
        return runProgram(argc, argv);
    } catch (const std::exception& defect) {
        return ended(cli::report({ErrorCode::internal, fmt::format("A defect of Ringside ended it: {}.", defect.what()),
                                  "Nothing stored is lost: repeat the command, and report what it says."}));
    }
}
