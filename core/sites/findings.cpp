// SPDX-License-Identifier: MIT
#include "core/sites/findings.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/jobs/partition.h"
#include "core/jobs/schedulers/table.h"
#include "core/protocol/jsonfields.h"

#include <algorithm>
#include <charconv>
#include <fmt/ranges.h>
#include <optional>
#include <sstream>

namespace ringside {

namespace {

using Kind = SiteStep::Kind;
using State = SiteStep::State;

/// Spools, a data set of pictures and a worker fit into it.
constexpr std::uint64_t kScarceBytes = 2'000'000'000;
constexpr std::size_t kMaxFeaturesBytes = 1u << 20;

/// As the site reported it, without control characters: JSON stays what it is, and anything may be shown.
std::string valueOf(const ProbeValues& values, std::string_view name)
{
    const auto found = values.find(std::string(name));
    return found == values.end() ? std::string() : plainText(found->second);
}

std::uint64_t numberOf(const ProbeValues& values, const std::string& name)
{
    const std::string text = valueOf(values, name);
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::string firstLine(const std::string& text)
{
    return text.substr(0, text.find('\n'));
}

jobs::ReadPartitions partitionsOf(const ProbeValues& values)
{
    const std::string said = valueOf(values, "partitions");
    return said.empty() ? jobs::ReadPartitions() : jobs::partitionsFromJson(said);
}

/// "all (3 nodes, 2 idle), gpu (1 nodes, 1 idle)"
std::string wordsOf(const std::vector<jobs::Partition>& partitions)
{
    std::vector<std::string> words;
    for (const jobs::Partition& each : partitions)
        words.push_back(Words::tr("{} ({} nodes, {} idle)", each.name, each.nodes, each.idleNodes));
    return fmt::format("{}", fmt::join(words, ", "));
}

/// "16 GB memory"
std::string memoryWords(const ProbeValues& values)
{
    const std::uint64_t bytes = numberOf(values, "memory_bytes");
    return bytes == 0 ? std::string()
                      : Words::tr("{:.0f} GiB memory", static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0));
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

/// Joins those that are not empty, as one line of plain text.
std::string joined(std::vector<std::string> parts)
{
    std::erase(parts, "");
    return plainText(fmt::format("{}", fmt::join(parts, ", ")));
}

std::string systemWords(const ProbeValues& values, const std::string& name)
{
    return joined({name, valueOf(values, "os"), valueOf(values, "arch"), valueOf(values, "glibc")});
}

std::string processorWords(const ProbeValues& values)
{
    return joined({valueOf(values, "cpu"), machineWords(values), memoryWords(values)});
}

/// Login nodes are often without: then what the nodes of each partition have.
std::string gpuWords(const ProbeValues& values)
{
    if (const std::string own = joined(linesOf(valueOf(values, "gpus"))); !own.empty())
        return own;
    std::vector<std::string> words;
    for (const jobs::Partition& partition : partitionsOf(values).list)
        for (const auto& [type, count] : partition.gpusPerNode)
            if (count > 0)
                words.push_back(Words::tr("{} × {} on each node of {}", count, type, partition.name));
    return joined(words);
}

/// Says whether login shells have `module`, and what the site's description loads by it.
std::string moduleWords(const ProbeValues& values, const Site& site)
{
    const std::string loaded = joined(site.modules);
    return joined({valueOf(values, "modules"), loaded.empty() ? "" : Words::tr("loads {}", loaded)});
}

/// Reads `quota -s` and `lfs quota -h`, which have a line for each file system: its name, what is used, the soft and
/// the hard limit. A line without a limit says nothing.
std::string quotaWords(const std::string& said)
{
    const auto isLimit = [](const std::string& text) { return text.find_first_of("123456789") != std::string::npos; };
    std::vector<std::string> words;
    for (const std::string& line : linesOf(said)) {
        std::istringstream fields(line);
        std::string place, used, soft, hard;
        if (!(fields >> place >> used >> soft >> hard) || place.find('/') == std::string::npos ||
            used.find_first_of("0123456789") != 0)
            continue;
        if (isLimit(soft) || isLimit(hard))
            words.push_back(Words::tr("{} of {} on {}", used, isLimit(soft) ? soft : hard, place));
    }
    return joined(words);
}

std::string nodeName(const ProbeValues& node)
{
    return plainText(valueOf(node, "node").empty() ? valueOf(node, "host") : valueOf(node, "node"));
}

std::string installedWords(wire::ItemKind kind, std::uint64_t count, const std::string& size)
{
    switch (kind) {
    case wire::ItemKind::agent:
        return Words::counted("{} agents ({})", "{} agent ({})", count, size);
    case wire::ItemKind::worker:
        return Words::counted("{} workers ({})", "{} worker ({})", count, size);
    case wire::ItemKind::source:
        return Words::counted("{} sources ({})", "{} source ({})", count, size);
    case wire::ItemKind::torch:
        return Words::counted("{} torches ({})", "{} torch ({})", count, size);
    case wire::ItemKind::campaign:
        return Words::counted("{} campaigns ({})", "{} campaign ({})", count, size);
    case wire::ItemKind::run:
        return Words::counted("{} runs ({})", "{} run ({})", count, size);
    case wire::ItemKind::engine:
        return Words::counted("{} systems ({})", "{} system ({})", count, size);
    case wire::ItemKind::data:
        break;
    }
    return Words::tr("pictures ({})", size);
}

std::string named(std::string_view name, const std::string& version)
{
    return version.empty() ? std::string() : fmt::format("{} {}", name, version);
}

ProbeFinding schedulerOf(const ProbeValues& values, const Site& site)
{
    const jobs::Scheduler* scheduler = schedulerOn(site, values);
    const std::string version = scheduler ? valueOf(values, scheduler->name()) : std::string();
    if (scheduler && version.empty())
        return {Kind::scheduler, State::failed,
                Words::tr("{}'s commands are not in the PATH there.", scheduler->title()),
                Words::tr("Set the scheduler of the site to “none”, or load the module that brings {}.",
                          scheduler->title())};
    if (!scheduler)
        return {Kind::scheduler, State::ok, Words::tr("none: jobs start on this host"), {}};
    if (const auto problems = scheduler->problemsOf(site.job); !problems.empty())
        return {Kind::scheduler, State::failed, fmt::format("{}: {}", version, problems.front().text()),
                Words::tr("Change the settings of the site's jobs.")};
    if (const std::string trouble = valueOf(values, "partitions_error"); !trouble.empty())
        return {Kind::scheduler, State::warning, Words::tr("{} does not answer: {}", version, firstLine(trouble)),
                Words::tr("Jobs can be submitted once it does.")};
    const jobs::ReadPartitions partitions = partitionsOf(values);
    const std::string words = wordsOf(partitions.list);
    const std::string text = words.empty() ? version : Words::tr("{}: {}", version, words);
    if (!partitions.isWhole)
        return {Kind::scheduler, State::warning, text,
                Words::tr(
                    "The site reported its partitions in a form that Ringside does not read, and not all are shown.")};
    return {Kind::scheduler, State::ok, text, {}};
}

ProbeFinding storageOf(const ProbeValues& values)
{
    const std::string root = valueOf(values, "root");
    if (valueOf(values, "root_writable") == "false")
        return {Kind::storage, State::failed, Words::tr("{} cannot be written.", root),
                Words::tr("Choose another root for the site.")};
    const std::uint64_t free = numberOf(values, "free_bytes");
    const std::string text = Words::tr("{} ({}), {:.1f} GB free", root, valueOf(values, "root_file_system"),
                                       static_cast<double>(free) * 1e-9);
    if (free < kScarceBytes)
        return {Kind::storage, State::warning, text, Words::tr("A worker and its data need some GB.")};
    return {Kind::storage, State::ok, text, {}};
}

ProbeFinding mpiOf(const ProbeValues& values)
{
    if (const std::string mpirun = valueOf(values, "mpirun"); !mpirun.empty())
        return {Kind::mpi, State::ok, firstLine(mpirun), {}};
    return {Kind::mpi, State::warning, Words::tr("mpirun is not in the PATH there."),
            Words::tr("Only runs of one rank can start, unless the site has another launcher.")};
}

/// "glibc 2.17" is 2.17; 0.0 if it is not known.
std::pair<int, int> glibcOf(const ProbeValues& values)
{
    std::pair<int, int> version{0, 0};
    char point = 0;
    std::string name;
    std::istringstream(valueOf(values, "glibc")) >> name >> version.first >> point >> version.second;
    return name == "glibc" ? version : std::pair{0, 0};
}

bool isOlder(const ProbeValues& node, const ProbeValues& login)
{
    return glibcOf(node) != std::pair{0, 0} && glibcOf(node) < glibcOf(login);
}

std::string sameKindHint()
{
    return Words::tr("Connect to a login node of the same kind, or choose nodes of this kind by a constraint.");
}

std::string sharedRootHint()
{
    return Words::tr("Choose a root for the site that login and compute nodes share.");
}

std::string givenWorkerHint()
{
    return Words::tr(
        "Name a ringside-worker of this version as the site's worker, or leave that out: then one is built "
        "there.");
}

/// Version of the Ringside that a worker was built with; empty if it does not say.
std::string versionOf(const nlohmann::json& features)
{
    const auto pointer = nlohmann::json::json_pointer("/versions/ringside");
    return features.contains(pointer) && features[pointer].is_string() ? features[pointer].get<std::string>() : "";
}

/// "0.10.1" is 0, 10, 1, which compare as numbers do.
std::vector<int> numbersOf(const std::string& version)
{
    std::vector<int> numbers;
    std::istringstream steps(version);
    for (std::string step; std::getline(steps, step, '.');)
        std::from_chars(step.data(), step.data() + step.size(), numbers.emplace_back(0));
    return numbers;
}

std::vector<SiteFact> thoseSaid(std::vector<SiteFact> facts)
{
    std::erase_if(facts, [](const SiteFact& fact) { return fact.text.empty(); });
    return facts;
}

} // namespace

std::string machineWords(const ProbeValues& values)
{
    return Words::counted("{} cores", "{} core", numberOf(values, "cores"));
}

const jobs::Scheduler* schedulerOn(const Site& site, const ProbeValues& values)
{
    if (site.scheduler != kAutomaticScheduler)
        return jobs::schedulerNamed(site.scheduler);
    for (const jobs::Scheduler* scheduler : jobs::schedulers())
        if (!valueOf(values, scheduler->name()).empty())
            return scheduler;
    return nullptr;
}

std::vector<ProbeFinding> findingsOf(const ProbeValues& values, const Site& site)
{
    return {schedulerOf(values, site), storageOf(values), mpiOf(values)};
}

ProbeFinding nodeFindingOf(const ProbeValues& node, const ProbeValues& login)
{
    const std::string name = nodeName(node);
    const std::string root = valueOf(login, "root");
    if (valueOf(node, "root_writable") != "true")
        return {Kind::node, State::failed, Words::tr("{} cannot write {}.", name, root), sharedRootHint(), true};
    if (const std::string arch = valueOf(node, "arch"); arch != valueOf(login, "arch"))
        return {Kind::node, State::failed,
                Words::tr("{} is {}, and the login node is {}.", name, arch, valueOf(login, "arch")), sameKindHint()};
    if (isOlder(node, login))
        return {Kind::node, State::warning,
                Words::tr("{} has {}, the login node {}: what is built on the login node may not start there.", name,
                          plainText(valueOf(node, "glibc")), plainText(valueOf(login, "glibc"))),
                sameKindHint()};
    const std::string what = joined({machineWords(node), memoryWords(node), valueOf(node, "glibc")});
    return {Kind::node, State::ok, Words::tr("{}: {}", name, what), {}};
}

ProbeFinding nodeFindingOf(const Error& error, const ProbeValues& login)
{
    const std::string agent = valueOf(login, "agent");
    const bool isMissing = error.message.find("No such file or directory") != std::string::npos;
    if (isMissing)
        return {Kind::node, State::failed, Words::tr("Compute nodes do not see {}.", agent), sharedRootHint(), true};
    if (error.message.find("Exec format error") != std::string::npos)
        return {Kind::node, State::failed,
                Words::tr("Compute nodes do not run programs for {}, which the login node is.", valueOf(login, "arch")),
                sameKindHint()};
    return {Kind::node, State::failed, plainText(error.message), error.hint};
}

ProbeFinding givenWorkerOf(const ProbeValues& values, const Site& site)
{
    const std::string worker = plainText(site.worker);
    const auto features = parseJsonObject(valueOf(values, "worker_features"), kMaxFeaturesBytes, "worker_features");
    if (features && features->contains("models")) {
        const std::string version = versionOf(*features);
        if (!version.empty() && numbersOf(version) < numbersOf(RINGSIDE_VERSION))
            return {Kind::worker, State::failed,
                    Words::tr("{} is of version {}, and this is {}.", worker, plainText(version), RINGSIDE_VERSION),
                    givenWorkerHint()};
        return {Kind::worker, State::ok, worker, {}};
    }
    const std::string said = firstLine(plainText(valueOf(values, "worker_features_error")));
    const bool isPrepared = !site.launchPrefix.empty() || !site.modules.empty();
    return {Kind::worker, isPrepared ? State::warning : State::failed,
            said.empty() ? Words::tr("{} is no worker of Ringside.", worker)
                         : Words::tr("{} does not start: {}", worker, said),
            givenWorkerHint()};
}

std::string schedulerLabel()
{
    return Words::tr("Scheduler");
}

std::vector<SiteFact> factsOf(const ProbeValues& values, const Site& site)
{
    return thoseSaid({
        {Words::tr("Host"), systemWords(values, valueOf(values, "host"))},
        {Words::tr("Processor"), processorWords(values)},
        {Words::tr("GPUs"), gpuWords(values)},
        {Words::tr("Network"), joined({valueOf(values, "network")})},
        {schedulerLabel(), schedulerOf(values, site).text},
        {Words::tr("Compiler"), joined({named("g++", valueOf(values, "cxx")), valueOf(values, "cmake")})},
        {Words::tr("MPI"), firstLine(valueOf(values, "mpirun"))},
        {Words::tr("Containers"), valueOf(values, "apptainer")},
        {Words::tr("Modules"), moduleWords(values, site)},
        {Words::tr("Folder"), valueOf(values, "root")},
        {Words::tr("Quota"), quotaWords(valueOf(values, "quota"))},
    });
}

std::vector<SiteFact> nodeFactsOf(const ProbeValues& node)
{
    return thoseSaid({
        {Words::tr("Compute node"), systemWords(node, nodeName(node))},
        {Words::tr("Node's processor"), processorWords(node)},
        {Words::tr("Node's GPUs"), joined(linesOf(valueOf(node, "gpus")))},
        {Words::tr("Node's network"), joined({valueOf(node, "network")})},
        {Words::tr("Node's modules"), valueOf(node, "modules")},
    });
}

InstalledEngines enginesOf(const ProbeValues& values)
{
    return installedEnginesFromJson(valueOf(values, "engines")).value_or(InstalledEngines());
}

std::vector<SiteFact> installedFactsOf(const std::vector<wire::InstalledItem>& items)
{
    using wire::ItemKind;
    std::map<ItemKind, std::pair<std::uint64_t, std::uint64_t>> kinds; // how many, how large
    for (const wire::InstalledItem& item : items) {
        auto& [count, bytes] = kinds[item.item.kind];
        ++count;
        bytes += item.bytes;
    }
    std::vector<std::string> words;
    for (const auto& [kind, sum] : kinds)
        words.push_back(installedWords(kind, sum.first, humanBytes(sum.second)));
    if (words.empty())
        return {};
    return {{Words::tr("Installed"), fmt::format("{}", fmt::join(words, ", "))}};
}

std::string aboutOf(const wire::InstalledItem& item)
{
    if (!item.about.empty())
        return plainText(item.about);
    if (item.item.kind == wire::ItemKind::data)
        return Words::tr("Pictures that runs share");
    if (item.item.kind == wire::ItemKind::engine)
        return Words::tr("{}, not whole", plainText(item.item.name));
    return {};
}

std::optional<Error> obstacleIn(const std::vector<ProbeFinding>& findings)
{
    const auto failed = std::ranges::find(findings, State::failed, &ProbeFinding::state);
    if (failed == findings.end())
        return std::nullopt;
    return Error{ErrorCode::unavailable, failed->text, failed->hint};
}

} // namespace ringside
