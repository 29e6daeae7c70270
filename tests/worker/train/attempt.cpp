// SPDX-License-Identifier: MIT
#include "tests/worker/train/attempt.h"
#include "tests/support/built.h"
#include "tests/worker/waitforranks.h"

#include "core/base/files.h"
#include "core/protocol/layout.h"
#include "core/protocol/spool.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

namespace ringside::test {

namespace {

using namespace std::chrono_literals;

void keep(Spool& spool, const Record& record)
{
    if (const auto* sample = std::get_if<Sample>(&record))
        spool.samples.push_back(*sample);
    else if (const auto* buckets = std::get_if<BucketTimings>(&record))
        spool.buckets.push_back(*buckets);
    else if (const auto* layers = std::get_if<LayerTimings>(&record))
        spool.layers.push_back(*layers);
    else if (const auto* clock = std::get_if<ClockOffset>(&record))
        spool.clocks.push_back(*clock);
    else if (const auto* canary = std::get_if<Canary>(&record))
        spool.canaries.push_back(*canary);
    else if (const auto* end = std::get_if<End>(&record))
        spool.end = *end;
    spool.heartbeats += std::holds_alternative<Heartbeat>(record);
    spool.telemetry += std::holds_alternative<Telemetry>(record);
    spool.clockPairs += std::holds_alternative<ClockPair>(record);
}

/// The text of a file of /proc, or none.
std::string procFile(const fs::path& path)
{
    return readFile(path).value_or(""); // the process may end meanwhile, which is an error here and no exception
}

/// As set by Open MPI or, without it, by RankGroup.
std::optional<int> rankOf(pid_t pid)
{
    const auto environment = procFile("/proc/" + std::to_string(pid) + "/environ");
    for (const std::string variable : {"OMPI_COMM_WORLD_RANK=", "RINGSIDE_RANK="})
        if (const auto at = environment.find(variable); at != std::string::npos)
            return std::atoi(environment.c_str() + at + variable.size());
    return std::nullopt;
}

} // namespace

Attempt::Attempt(int ranks)
{
    run.id = RunId::random();
    run.number = 1;
    run.configurationKey = "test";
    run.iterations = 20;
    run.warmup = 3;
    run.settings = Settings{{"model", std::string("lenet")},
                            {"image_size", std::int64_t{32}},
                            {"batch_per_rank", std::int64_t{4}},
                            {"ranks", std::int64_t{ranks}},
                            {"data", std::string("synthetic")}};
    if (ranks > 1)
        run.plan = planNamed("buckets");
}

RankGroup Attempt::start()
{
    CampaignPlan plan;
    plan.campaign = CampaignId::random();
    plan.store = StoreId::random();
    plan.experiment = "test";
    plan.site = "local";
    plan.worker = worker.empty() ? builtProgram("ringside-worker") : worker;
    plan.dataFolder = (folder() / "data").string();
    run.roles = rolesOf(run.plan);
    plan.runs = {run};
    const auto attempt = folder() / "attempt-1";
    fs::create_directories(attempt);
    REQUIRE(writeFileAtomically(folder() / "plan.json", planToJson(plan)));
    std::vector<std::string> words = {plan.worker, command,      "--plan",    (folder() / "plan.json").string(),
                                      "--run",     run.id.str(), "--attempt", attempt.string()};
    words.insert(words.end(), options.begin(), options.end());
    auto group = RankGroup::start(run.processes(), words, meeting, grace);
    REQUIRE(group);
    return std::move(*group);
}

int Attempt::exitCode()
{
    auto group = start();
    const auto code = waitForRanks(group, 120s);
    REQUIRE(code);
    return *code;
}

std::pair<int, std::string> Attempt::exitCodeAndWords()
{
    const fs::path file = folder() / "words";
    const int words = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    const int out = dup(STDOUT_FILENO), errors = dup(STDERR_FILENO);
    dup2(words, STDOUT_FILENO);
    dup2(words, STDERR_FILENO);
    auto group = start();
    dup2(out, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    for (const int fd : {words, out, errors})
        close(fd);
    const int code = waitForRanks(group, 120s).value_or(-1);
    return {code, readFile(file).value_or("")};
}

Spool Attempt::spool(int rank) const
{
    Spool spool;
    const auto bytes = readFile(layout::spoolFile(folder() / "attempt-1", rank));
    if (!bytes)
        return spool;
    SpoolReader reader;
    const auto read = reader.feed(*bytes, [&](const Record& record) { keep(spool, record); });
    REQUIRE_MESSAGE(read, read.error().text());
    if (reader.header())
        spool.worldSize = static_cast<int>(reader.header()->worldSize);
    return spool;
}

std::string Attempt::facts() const
{
    return readFile(layout::factsFile(folder() / "attempt-1")).value_or("");
}

AggregationPlan planNamed(const std::string& name)
{
    AggregationPlan plan;
    plan.name = name;
    plan.collective = Collective::allreduce;
    plan.grouping = name.starts_with("buckets") ? Grouping::buckets : Grouping::one;
    plan.firstBucketBytes = 1 << 10;
    plan.bucketCapBytes = 64 << 10;
    plan.schedule = name == "buckets" || name == "one-overlapped" ? Schedule::overlapped : Schedule::afterBackward;
    return plan;
}

AggregationPlan servedBy(int servers, bool asynchronous)
{
    AggregationPlan plan = planNamed("buckets");
    plan.name = asynchronous ? "served asynchronously" : "served";
    plan.collective = Collective::parameterServer;
    plan.servers = servers;
    plan.asynchronous = asynchronous;
    return plan;
}

std::vector<pid_t> ranksOf(pid_t parent, int ranks)
{
    std::vector<pid_t> pids(static_cast<std::size_t>(ranks), -1);
    const auto task = "/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children";
    std::istringstream children(procFile(task));
    int found = 0;
    for (pid_t pid; children >> pid;)
        if (const auto rank = rankOf(pid); rank && *rank < ranks) {
            pids[static_cast<std::size_t>(*rank)] = pid;
            ++found;
        }
    return found == ranks ? pids : std::vector<pid_t>{};
}

} // namespace ringside::test
