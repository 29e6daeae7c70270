// SPDX-License-Identifier: MIT
// A worker that trains nothing: it obeys ringside-worker's command line and writes a real spool, so that runner, relay
// and conductor are tested without torch. What it does is in the run's settings:
//   behaviour        well | crash | exit | nan | silent | hang | stubborn | eat | burst | absent | unborn   (well if
//   not
//                    said); unborn: a signal ends the rank before it has a spool
//   at               iteration in which the behaviour begins (default 2)
//   by               rank that shows it (default: the last); burst, iterations without a pause, is shown by all;
//                    absent, which makes no spool, by all others than the first
//   exit_code        with exit
//   eat_mib          memory that it takes with eat (default 512); it goes on if it is not killed for it
//   pace_ms          length of an iteration (default 10)
#include "core/base/clock.h"
#include "core/base/environment.h"
#include "core/base/retrywhilediskfull.h"
#include "core/protocol/facts.h"
#include "core/protocol/layout.h"
#include "core/protocol/plan.h"
#include "core/protocol/spool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace ringside;
using std::chrono::milliseconds;

std::atomic<bool> terminated{false};

using Options = std::map<std::string, std::string>;

Options parse(int argc, char** argv)
{
    Options options;
    for (int i = 2; i + 1 < argc; i += 2)
        options[argv[i]] = argv[i + 1];
    return options;
}

/// The option, else the first of these variables that is set: of mpirun, of srun.
int numberOr(const Options& options, const char* option, std::initializer_list<const char*> variables, int otherwise)
{
    if (const auto found = options.find(option); found != options.end())
        return std::stoi(found->second);
    for (const char* variable : variables)
        if (const char* value = environment(variable))
            return std::atoi(value);
    return otherwise;
}

const RunSpec& findRun(const CampaignPlan& plan, const std::string& id)
{
    return *std::find_if(plan.runs.begin(), plan.runs.end(), [&](const RunSpec& run) { return run.id.str() == id; });
}

std::string hostName()
{
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
}

int attemptNumber(const fs::path& attempt)
{
    const std::string name = attempt.filename().string();
    return std::stoi(name.substr(name.find('-') + 1));
}

class TestWorker
{
public:
    TestWorker(const RunSpec& run, const fs::path& attempt, int rank, int world)
        : m_run(run)
        , m_attempt(attempt)
        , m_rank(rank)
        , m_world(world)
        , m_spool(*SpoolWriter::create(layout::spoolFile(attempt, rank), header()))
    {
    }

    int train()
    {
        if (m_rank == 0)
            writeFacts();
        beat(0);
        for (int seq = 0; seq < m_run.iterations; ++seq) {
            if (const auto code = misbehave(seq))
                return *code;
            if (terminated)
                return end(exitcode::kTerminated);
            iterate(static_cast<std::uint32_t>(seq));
        }
        return end(exitcode::kDone);
    }

private:
    SpoolHeader header() const
    {
        return {FileId::random(),
                m_run.id,
                static_cast<std::uint32_t>(attemptNumber(m_attempt)),
                static_cast<std::uint32_t>(m_rank),
                static_cast<std::uint32_t>(m_world),
                hostName(),
                static_cast<std::uint32_t>(m_run.iterations),
                static_cast<std::uint32_t>(m_run.warmup)};
    }

    void writeFacts()
    {
        Facts facts;
        facts.versions["ringside"] = RINGSIDE_VERSION;
        facts.model["name"] = "none";
        for (int rank = 0; rank < m_world; ++rank)
            facts.ranks.push_back({rank, hostName(), "cpu", "0", 1});
        facts.seed = m_run.seed;
        const auto written = retryWhileDiskFull(
            kDiskFullPatience, [&] { return writeFileAtomically(layout::factsFile(m_attempt), factsToJson(facts)); });
        if (!written)
            std::fprintf(stderr, "facts could not be written\n");
    }

    void beat(std::uint32_t seq)
    {
        m_spool.add(Heartbeat{monotonicNs(), seq, Phase::forward});
        (void)m_spool.flush();
    }

    void iterate(std::uint32_t seq)
    {
        Sample sample;
        sample.seq = seq;
        sample.startNs = monotonicNs();
        std::this_thread::sleep_for(pace(static_cast<int>(seq)));
        sample.phases[static_cast<std::size_t>(Phase::forward)] = monotonicNs() - sample.startNs;
        sample.items = 4;
        sample.loss = 1.0f / static_cast<float>(seq + 1);
        m_spool.add(sample);
        m_spool.add(Heartbeat{monotonicNs(), seq, Phase::forward});
        (void)m_spool.flush();
        ++m_samples;
        std::printf("rank %d iteration %u\n", m_rank, seq);
        std::fflush(stdout);
    }

    milliseconds pace(int seq) const
    {
        const bool bursts = behaviour() == "burst" && seq >= beginOfBehaviour();
        return milliseconds(bursts ? 0 : integerOf(m_run.settings, "pace_ms").value_or(10));
    }
    std::string behaviour() const { return textOf(m_run.settings, "behaviour").value_or("well"); }
    int beginOfBehaviour() const { return static_cast<int>(integerOf(m_run.settings, "at").value_or(2)); }

    /// The exit code if the rank ends here.
    std::optional<int> misbehave(int seq)
    {
        if (m_rank != integerOf(m_run.settings, "by").value_or(m_world - 1) || seq != beginOfBehaviour())
            return std::nullopt;
        const std::string behaviour = this->behaviour();
        if (behaviour == "crash")
            std::abort();
        if (behaviour == "exit")
            return static_cast<int>(integerOf(m_run.settings, "exit_code").value_or(1));
        if (behaviour == "silent")
            silence();
        if (behaviour == "hang" || behaviour == "stubborn")
            return hang(static_cast<std::uint32_t>(seq), behaviour == "stubborn");
        if (behaviour == "eat")
            eat(static_cast<std::size_t>(integerOf(m_run.settings, "eat_mib").value_or(512)));
        return std::nullopt;
    }

    /// Every byte is written: memory that is only asked for is not there yet, and no process is killed for it.
    void eat(std::size_t mebibytes)
    {
        for (std::size_t i = 0; i < mebibytes; ++i)
            m_eaten.emplace_back(1u << 20, 'x');
    }

    [[noreturn]] void silence()
    {
        std::signal(SIGTERM, SIG_IGN);
        for (;;)
            std::this_thread::sleep_for(std::chrono::seconds(1));
    }

    int hang(std::uint32_t seq, bool ignoreRequests)
    {
        while (!terminated || ignoreRequests) {
            beat(seq);
            std::this_thread::sleep_for(milliseconds(20));
        }
        return end(exitcode::kTerminated);
    }

    int end(int code)
    {
        (void)retryWhileDiskFull(kDiskFullPatience, [this] { return m_spool.flush(); });
        m_spool.add(End{m_samples, code, m_spool.droppedSamples()});
        (void)retryWhileDiskFull(kDiskFullPatience, [this] { return m_spool.flush(); });
        return code;
    }

    const RunSpec& m_run;
    fs::path m_attempt;
    int m_rank;
    int m_world;
    SpoolWriter m_spool;
    std::uint32_t m_samples = 0;
    std::vector<std::string> m_eaten;
};

int train(const Options& options)
{
    const auto text = readFile(options.at("--plan"));
    const auto plan = text ? planFromJson(*text) : fail(ErrorCode::notFound, "no plan");
    if (!plan) {
        std::fprintf(stderr, "%s\n", plan.error().text().c_str());
        return exitcode::kSettings;
    }
    const RunSpec& run = findRun(*plan, options.at("--run"));
    const int rank = numberOr(options, "--rank", {"RINGSIDE_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}, 0);
    const int world = numberOr(options, "--world", {"RINGSIDE_RANKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, run.ranks());
    while (rank > 0 && !terminated && textOf(run.settings, "behaviour") == "absent")
        std::this_thread::sleep_for(milliseconds(20));
    if (textOf(run.settings, "behaviour") == "unborn" && rank == integerOf(run.settings, "by").value_or(world - 1))
        return std::signal(SIGSEGV, SIG_DFL), std::raise(SIGSEGV); // a sanitizer would end it by an exit code
    return TestWorker(run, options.at("--attempt"), rank, world).train();
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGTERM, [](int) { terminated = true; });
    const std::string command = argc > 1 ? argv[1] : "";
    if (command == "features") {
        std::puts("{\"models\": [], \"mpi\": true, \"jpeg\": true}");
        return 0;
    }
    return command == "train" ? train(parse(argc, argv)) : 2;
}
