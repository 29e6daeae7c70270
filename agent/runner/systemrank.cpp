// SPDX-License-Identifier: MIT
#include "agent/runner/systemrank.h"

#include "agent/drivers/driverfolder.h"
#include "agent/rank/cores.h"
#include "agent/rank/machinefacts.h"
#include "agent/runner/allocation.h"
#include "agent/runner/endpoints.h"
#include "agent/runner/gpureadings.h"
#include "agent/runner/limits.h"
#include "agent/runner/loadedlibraries.h"
#include "core/base/environment.h"
#include "core/base/networklinks.h"
#include "core/base/retrywhilediskfull.h"
#include "core/base/text.h"
#include "core/jobs/scheduler.h"
#include "core/protocol/engine.h"
#include "core/protocol/facts.h"
#include "core/protocol/jsonfields.h"
#include "core/protocol/layout.h"
#include "core/protocol/models.h"
#include "core/protocol/reason.h"

#include <algorithm>
#include <cstdio>

namespace ringside::runner {

namespace {

constexpr std::size_t kMaxRankFacts = 64u << 10; ///< bytes

/// A full disk happened to the run, so it is told apart from what is wrong with it.
Reason becauseUnwritten(const fs::path& attempt, const Error& error)
{
    return error.code == ErrorCode::noSpace ? because(why::kNoSpace, {{"folder", attempt.string()}}) : becauseOf(error);
}

/// Waits for room on a full disk as our own worker does, unless it is to end.
Result<void> onceThereIsRoom(const SystemRankOptions& options, const std::function<Result<void>()>& write)
{
    return retryWhileDiskFull(Limits::fromEnvironment().journal, [&]() -> Result<void> {
        Result<void> written = write();
        return written || !options.isToEnd() ? written : fail(ErrorCode::cancelled, "The attempt ends.");
    });
}

Result<CampaignPlan> planIn(const fs::path& file)
{
    TRY_ASSIGN(const std::string text, readFile(file, kMaxPlanBytes));
    return planFromJson(text);
}

Result<RunSpec> runIn(const CampaignPlan& plan, const RunId& id)
{
    const auto found = std::ranges::find(plan.runs, id, &RunSpec::id);
    if (found == plan.runs.end())
        return fail(ErrorCode::notFound, fmt::format("The plan has no run {}.", id.str()));
    return *found;
}

/// The root above runs/<run>/attempt-k.
fs::path rootOf(const fs::path& attempt)
{
    return attempt.parent_path().parent_path().parent_path();
}

std::uint32_t attemptNumber(const fs::path& attempt)
{
    const std::string name = attempt.filename().string();
    return static_cast<std::uint32_t>(std::max(1, std::atoi(name.substr(name.find('-') + 1).c_str())));
}

SpoolHeader headerOf(const SystemRankOptions& options, const RunSpec& run)
{
    return {FileId::random(),
            run.id,
            attemptNumber(options.attempt),
            static_cast<std::uint32_t>(options.process),
            static_cast<std::uint32_t>(options.process < run.rankProcesses() ? run.ranks() : run.processes()),
            hostName(),
            static_cast<std::uint32_t>(run.iterations),
            static_cast<std::uint32_t>(run.warmup)};
}

/// Empty: any.
std::string namedInterface(const RunSpec& run)
{
    const std::string interface = textOf(run.settings, "interface").value_or(std::string(kAnyInterface));
    return interface == kAnyInterface ? "" : interface;
}

OrReason<std::vector<jobs::Endpoint>> meetOthers(const SystemRankOptions& options, const RunSpec& run)
{
    TRY_ASSIGN(const HeldPort held, takePort()); // until all have chosen theirs
    jobs::Endpoint mine{"127.0.0.1", held.port};
    const std::string interface = namedInterface(run);
    if (run.processes() > 1 && (!options.isHere || !interface.empty())) {
        TRY_ASSIGN(const OwnAddress own, ownAddress(interface));
        mine.address = own.address;
    }
    return meet(options.attempt, options.process, run.processes(), mine, Limits::fromEnvironment().others,
                options.isToEnd);
}

bool isOnGpus(const RunSpec& run)
{
    return textOf(run.settings, "device") == "cuda";
}

/// As its host has them; of several models it is not known yet which one it will use.
std::string deviceOf(const RunSpec& run)
{
    const auto models = isOnGpus(run) ? gpuModels() : std::vector<std::string>();
    const bool areEqual = !models.empty() && models.front() == models.back();
    return areEqual ? models.front() : textOf(run.settings, "device").value_or("cpu");
}

/// Written before any process of the system is started, so that the facts of the attempt hold all ranks.
Result<void> leaveRankFacts(const fs::path& attempt, int rank, const RunSpec& run, const std::vector<int>& cores)
{
    Facts facts;
    facts.ranks = {{rank, hostName(), deviceOf(run), fmt::format("{}", fmt::join(cores, ",")),
                    static_cast<int>(cores.size()), placeOf(cores), networkLinks()}};
    return writeFileAtomically(layout::rankFactsFile(attempt, rank), factsToJson(facts));
}

/// Reads only files that are there: a slow file system does not hold a run up.
std::vector<RankFacts> rankFactsIn(const fs::path& attempt, int ranks)
{
    std::vector<RankFacts> found;
    for (int rank = 0; rank < ranks; ++rank)
        if (const auto text = readFile(layout::rankFactsFile(attempt, rank), kMaxRankFacts))
            if (const auto facts = factsFromJson(*text))
                found.insert(found.end(), facts->ranks.begin(), facts->ranks.end());
    return found;
}

constexpr std::size_t kMaxVersion = 100; ///< bytes

/// Returns a fact that can be a version, else nothing.
std::string versionIn(const logs::DriverBegin& begin, const std::string& name)
{
    const auto told = begin.facts.find(name);
    return told != begin.facts.end() && told->second.size() <= kMaxVersion ? plainText(told->second) : std::string();
}

/// The one that the records of a user's own script report by the name of the package: of horovod.torch Horovod's.
std::string loadedVersion(const logs::DriverBegin& begin, const Engine& engine)
{
    const auto module = engine.environment.find(kModuleVariable);
    return module == engine.environment.end() ? std::string()
                                              : versionIn(begin, module->second.substr(0, module->second.find('.')));
}

/// As its driver reports it, which names the framework, or as its process has loaded it; else as it was installed. What
/// is installed there may have been changed since, and may be another package than the one that an option of the run
/// chose.
std::string versionOf(const logs::DriverBegin& begin, const Engine& engine)
{
    std::string version = begin.facts.contains("framework") ? versionIn(begin, "version") : std::string();
    if (version.empty())
        version = loadedVersion(begin, engine);
    return version.empty() ? engine.version : version;
}

/// Facts of what ran. `installed` is there too where nothing of that version ran: Keras is installed by TensorFlow's,
/// which its driver reports beside its own.
void addVersion(Facts& facts, const logs::DriverBegin& begin, const Engine& engine)
{
    const std::string version = versionOf(begin, engine);
    facts.versions[engine.title] = version;
    facts.system = version.empty() ? engine.title : fmt::format("{} {}", engine.title, version);
    const bool isThere = version == engine.version || std::ranges::any_of(begin.facts, [&](const auto& fact) {
                             return fact.second == engine.version;
                         });
    if (!isThere && !engine.version.empty())
        facts.versions["installed"] = engine.version;
}

/// Facts from the process itself, and from guards about their machines. The network between them is unknown. `started`:
/// the variables that it was started with beside the guard's own.
Facts factsOf(const logs::DriverBegin& begin, const Engine& engine, const RunSpec& run, const fs::path& attempt,
              const std::map<std::string, std::string>& started, pid_t process)
{
    Facts facts;
    facts.versions = versionFacts();
    addVersion(facts, begin, engine);
    facts.machine = machineFacts();
    facts.environment = environmentFacts(started);
    facts.model = begin.facts;
    if (const auto libraries = loadedLibraries(process); !libraries.empty())
        facts.model.try_emplace("libraries", dumpJson(libraries));
    std::error_code hasEnded;
    if (const fs::path program = fs::read_symlink(fs::path("/proc") / std::to_string(process) / "exe", hasEnded);
        !hasEnded)
        facts.model.try_emplace("program", program.string());
    facts.transport = run.ranks() > 1 ? "" : "single";
    facts.seed = run.seed;
    facts.ranks = rankFactsIn(attempt, run.rankProcesses());
    return facts;
}

/// A process is one rank at least, for what is read of it.
OwnRanks ownRanksOf(const RunSpec& run, int process)
{
    return {process * run.ranksPerProcess, static_cast<std::uint32_t>(std::max(run.ranksOf(process), 1)),
            run.ranksPerProcess > 1};
}

/// Returns how many ranks it speaks for: all, those of its process, or one of these, whose batch is that of one.
std::uint32_t ranksIn(const logs::DriverBegin& begin, const RunSpec& run, int process)
{
    if (begin.ofAll)
        return static_cast<std::uint32_t>(begin.ranks);
    const bool isOne = integerOf(run.settings, "batch_per_rank") == std::int64_t{begin.items};
    return isOne ? 1 : ownRanksOf(run, process).count;
}

/// Work with other numbers than the run's would be mistaken for the run's.
OrReason<void> checkBegin(const logs::DriverBegin& begin, const RunSpec& run, int process)
{
    if (begin.ranks != run.ranks())
        return tl::unexpected(because(why::kOtherRanks, {{"told", begin.ranks}, {"ranks", run.ranks()}}));
    if (const auto batch = integerOf(run.settings, "batch_per_rank");
        batch && begin.items && begin.items != *batch * ranksIn(begin, run, process))
        return tl::unexpected(because(why::kOtherBatch, {{"told", begin.items}, {"asked", *batch}}));
    const std::string name = textOf(run.settings, "model").value_or("");
    const ModelFacts* model = modelFacts(name);
    const auto told = begin.facts.find("parameters");
    if (model && told != begin.facts.end() && told->second != std::to_string(model->parameters))
        return tl::unexpected(
            because(why::kOtherModel, {{"told", told->second}, {"model", name}, {"parameters", model->parameters}}));
    return {};
}

/// Those of a process that only serves are no rank's.
std::optional<OutputRecords::OwnLines> ownLinesOf(const std::string& name, const Engine& engine, const RunSpec& run,
                                                  int process)
{
    if (!run.leads(process))
        return std::nullopt;
    logs::KnownOfRun known;
    known.ranks = static_cast<std::uint32_t>(run.ranks());
    known.ranksPerNode = static_cast<std::uint32_t>(run.ranksPerNode());
    if (const auto batch = integerOf(run.settings, "batch_per_rank"))
        known.batchPerRank = static_cast<double>(*batch);
    return OutputRecords::OwnLines{logs::formatOf(name, engine), known};
}

/// Sets the variables of the job that the scheduler's own launcher would set, whichever launcher is used: a script that
/// counts itself by these, as Lightning's do, otherwise waits for as many as the job could start.
void addPlaceInJob(std::map<std::string, std::string>& variables, const SystemRankOptions& options, const RunSpec& run)
{
    const jobs::Scheduler* scheduler = thisScheduler();
    if (!scheduler)
        return;
    const jobs::JobVariables& names = scheduler->variables();
    variables.try_emplace(names.process, std::to_string(options.process));
    variables.try_emplace(names.localProcess, std::to_string(options.localRank));
    variables.try_emplace(names.node, std::to_string(run.nodeOf(options.process)));
    const auto say = [&](std::span<const char* const> all, int count) {
        for (const char* name : all)
            variables.try_emplace(name, std::to_string(count));
    };
    say(names.processCounts, run.processes());
    say(names.countsOnNode, run.rankProcessesPerNode());
    say(names.nodeCounts, run.nodes());
}

/// Gloo would go by the address of the host's own name: on many hosts one that others cannot reach. All meet at rank 0,
/// so it is told the interface that leads there.
void addGlooInterface(std::map<std::string, std::string>& variables, const std::vector<jobs::Endpoint>& endpoints)
{
    const auto own = endpoints.empty() ? ownAddress({}) : ownAddressTowards(endpoints.front().address);
    if (own && !environment(kGlooInterface))
        variables.try_emplace(kGlooInterface, own->interface);
}

/// An interface that is named is the only one for all libraries. Where none is, those choose, but for Gloo.
OrReason<void> addInterface(std::map<std::string, std::string>& variables, const SystemRankOptions& options,
                            const RunSpec& run, const std::vector<jobs::Endpoint>& endpoints)
{
    const std::string named = namedInterface(run);
    if (run.processes() == 1 || (options.isHere && named.empty()))
        return {};
    if (named.empty()) {
        addGlooInterface(variables, endpoints);
        return {};
    }
    variables.merge(variablesOfInterface(named));
    return ownAddress(named).map([](const OwnAddress&) {});
}

/// Beside the worker as it is named, or as links lead to it. Empty: the plan names none.
fs::path gpuLoadBeside(const fs::path& worker)
{
    std::error_code ignored;
    if (worker.empty())
        return {};
    const fs::path named = layout::gpuLoadProgram(worker.parent_path());
    return fs::exists(named, ignored) ? named
                                      : layout::gpuLoadProgram(fs::weakly_canonical(worker, ignored).parent_path());
}

/// Behind what the user, a module or the table has there.
void addRecordsModule(std::map<std::string, std::string>& variables, const fs::path& drivers)
{
    const char* inherited = environment("PYTHONPATH");
    std::string& path = variables.try_emplace("PYTHONPATH", inherited ? inherited : "").first->second;
    path += (path.empty() ? "" : ":") + (drivers / kRecordsFolder).string();
}

} // namespace

OrReason<std::unique_ptr<SystemRank>> SystemRank::prepare(const SystemRankOptions& options)
{
    TRY_ASSIGN(const CampaignPlan plan, planIn(options.plan).map_error(becauseOf));
    TRY_ASSIGN(const RunSpec run, runIn(plan, options.run).map_error(becauseOf));
    const auto engine = plan.engines.find(textOf(run.settings, "engine").value_or(""));
    if (engine == plan.engines.end())
        return tl::unexpected(becauseOf(
            {ErrorCode::usage, fmt::format("The plan says nothing of the engine of run {}.", run.id.str()), {}}));
    std::unique_ptr<SystemRank> rank(new SystemRank);
    const auto cores = static_cast<int>(integerOf(run.settings, "cores_per_rank").value_or(1));
    rank->m_cores = coresOfRank(usableCores(), options.localRank, cores * run.ranksPerProcess);
    rank->m_gpuLoad = gpuLoadBeside(plan.worker);
    rank->m_gpus = isOnGpus(run) ? run.ranksOf(options.process) : 0;
    const auto unwritten = [&](const Error& error) { return becauseUnwritten(options.attempt, error); };
    if (options.process < run.rankProcesses()) {
        TRY(onceThereIsRoom(options, [&] {
                return leaveRankFacts(options.attempt, options.process, run, rank->m_cores);
            }).map_error(unwritten));
    }
    const bool leads = run.leads(options.process);
    const bool isFirst = leads && (options.process == 0 || !run.leads(options.process - 1));
    const OwnRanks own = ownRanksOf(run, options.process);
    const auto begun = [=, described = engine->second, attempt = options.attempt, start = &rank->m_start](
                           const logs::DriverBegin& begin, pid_t process) -> OrReason<OutputRecords::Begun> {
        TRY(checkBegin(begin, run, options.process));
        OutputRecords::Begun told{ranksIn(begin, run, options.process)};
        const bool speaksForProcess = told.ofRanks >= own.count || begin.rank == own.first;
        std::error_code ignored;
        const fs::path file = layout::factsFile(attempt);
        const bool speaksForFirst = leads && begin.ofAll && !fs::exists(file, ignored);
        if (!(isFirst && speaksForProcess) && !speaksForFirst)
            return told;
        const Facts facts = factsOf(begin, described, run, attempt, start->environment, process);
        told.writeFacts = [=, text = factsToJson(facts)] {
            return writeFileAtomically(file, text).map_error([&](const Error& error) {
                return becauseUnwritten(attempt, error);
            });
        };
        return told;
    };
    TRY_ASSIGN(rank->m_records,
               OutputRecords::open(layout::spoolFile(options.attempt, options.process), headerOf(options, run), own,
                                   options.log, begun, ownLinesOf(engine->first, engine->second, run, options.process))
                   .map_error(unwritten));
    TRY_ASSIGN(const fs::path drivers, driverFolder(rootOf(options.attempt)).map_error(unwritten));
    jobs::ProcessPlace place{options.process, options.localRank, options.attempt, drivers, {}};
    if (jobs::meetsByAddress(plan, run)) {
        TRY_ASSIGN(place.endpoints, meetOthers(options, run));
    }
    TRY_ASSIGN(rank->m_start, jobs::processStart(plan, run, place).map_error(becauseOf));
    addRecordsModule(rank->m_start.environment, drivers);
    TRY(addInterface(rank->m_start.environment, options, run, place.endpoints));
    if (engine->second.meeting == EngineMeeting::variables) // an MPI finds its ranks by names of its own
        addPlaceInJob(rank->m_start.environment, options, run);
    return rank;
}

/// A GPU that cannot be watched is no reason not to train.
TelemetryThread::Gpu SystemRank::gpuReadings(pid_t process, int log) const
{
    if (m_gpus == 0 || m_gpuLoad.empty())
        return {};
    auto readings = GpuReadings::start(m_gpuLoad, process, m_gpus, log);
    if (readings)
        return [shared = std::shared_ptr(*std::move(readings))] { return shared->take(); };
    dprintf(log, "%s: The GPU's load is not recorded: %s\n", layout::gpuLoadProgram.name,
            readings.error().text().c_str());
    return {};
}

} // namespace ringside::runner
