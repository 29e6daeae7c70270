// SPDX-License-Identifier: MIT
// Writes what a campaign's runner and the many ranks of its one run write, at their pace, in one process: samples,
// telemetry and heartbeats in a spool per rank. Each iteration takes a fifth of a second and is flushed by itself.
//                                                                               usage: bench_crowd CAMPAIGN_DIR ROOT
#include "agent/runner/lease.h"
#include "core/base/clock.h"
#include "core/protocol/facts.h"
#include "core/protocol/journal.h"
#include "core/protocol/layout.h"
#include "core/protocol/plan.h"
#include "core/protocol/spool.h"
#include "tests/bench/support/numbers.h"

#include <chrono>
#include <sys/resource.h>
#include <thread>

using namespace ringside;
using bench::must;

namespace {

constexpr std::chrono::milliseconds kIteration{200};
constexpr std::uint32_t kTelemetryEvery = 5, kHeartbeatEvery = 10; // 1 s and 2 s
/// Ranks of one node are about this many, and flush together.
constexpr int kTogether = 8;

void raiseFileLimit()
{
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

JournalEvent event(JournalKind kind, const RunSpec* run = nullptr, RunState state = RunState::unknown)
{
    JournalEvent event;
    event.kind = kind;
    event.wallNs = wallNs();
    event.state = state;
    if (run) {
        event.run = run->id;
        event.attempt = 1;
    }
    return event;
}

class Crowd
{
public:
    Crowd(const RunSpec& run, const fs::path& attempt)
        : m_run(run)
    {
        Facts facts;
        for (int rank = 0; rank < run.ranks(); ++rank) {
            const std::string host = fmt::format("node{}", rank / kTogether);
            facts.ranks.push_back({rank, host, "cpu", "0", 1});
            m_spools.push_back(
                must(SpoolWriter::create(layout::spoolFile(attempt, rank),
                                         {FileId::random(), run.id, 1, std::uint32_t(rank), std::uint32_t(run.ranks()),
                                          host, std::uint32_t(run.iterations), std::uint32_t(run.warmup)})));
        }
        must(writeFileAtomically(layout::factsFile(attempt), factsToJson(facts)));
    }

    /// Ranks end their iterations one after the other, evenly over the time of one.
    void train()
    {
        const auto began = std::chrono::steady_clock::now();
        const std::chrono::nanoseconds step = kIteration * kTogether / m_run.ranks();
        for (std::uint32_t seq = 0; seq < std::uint32_t(m_run.iterations); ++seq)
            for (int first = 0; first < m_run.ranks(); first += kTogether) {
                std::this_thread::sleep_until(began + (seq + 1) * kIteration + step * (first / kTogether));
                for (int rank = first; rank < std::min(first + kTogether, m_run.ranks()); ++rank)
                    iterate(rank, seq);
            }
        for (SpoolWriter& spool : m_spools) {
            spool.add(End{std::uint32_t(m_run.iterations), 0, 0});
            must(spool.flush());
        }
    }

private:
    void iterate(int rank, std::uint32_t seq)
    {
        SpoolWriter& spool = m_spools[std::size_t(rank)];
        spool.add(sample(rank, seq));
        if (seq % kTelemetryEvery == 0) {
            Telemetry telemetry;
            telemetry.atNs = monotonicNs();
            telemetry.cpuShare = telemetry.ownCpuShare = 0.9F;
            telemetry.memoryBytes = 2'000'000'000;
            spool.add(telemetry);
        }
        if (seq % kHeartbeatEvery == 0)
            spool.add(Heartbeat{monotonicNs(), seq, Phase::forward});
        must(spool.flush());
    }

    static Sample sample(int rank, std::uint32_t seq)
    {
        const std::int64_t lengthNs = toNs(kIteration);
        Sample sample;
        sample.seq = seq;
        sample.startNs = monotonicNs() - lengthNs;
        sample.phases[std::size_t(Phase::forward)] = lengthNs / 3 + rank * 1'000;
        sample.phases[std::size_t(Phase::commExposed)] = lengthNs / 6 - rank * 1'000;
        sample.phases[std::size_t(Phase::backward)] = lengthNs - lengthNs / 3 - lengthNs / 6;
        sample.commTotalNs = lengthNs / 4;
        sample.bytesSent = 102'228'128;
        sample.items = 32;
        sample.loss = 6.9F;
        return sample;
    }

    const RunSpec& m_run;
    std::vector<SpoolWriter> m_spools;
};

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3)
        return 2;
    raiseFileLimit();
    const fs::path campaign = argv[1], root = argv[2];
    const CampaignPlan plan = must(planFromJson(must(readFile(layout::planFile(campaign), kMaxPlanBytes))));
    const RunSpec& run = plan.runs.at(0);
    const fs::path attempt = layout::attemptFolder(root, run.id, 1);
    must(runner::claimLease(campaign, must(runner::thisOwner())));
    must(makePrivateFolder(attempt));
    Journal journal = must(Journal::open(layout::journalFile(campaign)));
    must(journal.append(event(JournalKind::runnerStarted)));
    Crowd crowd(run, attempt);
    must(journal.append(event(JournalKind::attemptStarted, &run, RunState::starting)));
    crowd.train();
    must(journal.append(event(JournalKind::attemptEnded, &run, RunState::done)));
    must(journal.append(event(JournalKind::runnerEnded, nullptr, RunState::done)));
    return 0;
}
