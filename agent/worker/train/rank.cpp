// SPDX-License-Identifier: MIT
#include "agent/worker/train/rank.h"

#include "agent/gpuload/gpusampler.h"
#include "agent/rank/cores.h"
#include "agent/worker/collectives/clockoffset.h"
#include "agent/worker/collectives/fastertransport.h"
#include "agent/worker/device/device.h"
#include "core/base/environment.h"
#include "core/base/networklinks.h"
#include "core/base/say.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <unistd.h>

namespace ringside {

namespace {

/// Iterations that take longer than this after SIGTERM are not waited for: that of the vote to end, and the one after
/// it, by whose end all know. Guards, launchers and the runner wait longer before they kill, the runner 5 s once a rank
/// was lost: by then the spool has to be complete.
constexpr std::chrono::seconds kEndOfIteration{4};

/// The world of a rank that trains are those that train; a server counts all.
SpoolHeader headerOf(const TrainSettings& settings, int rank)
{
    const int ranks = settings.run.ranks();
    return {FileId::random(),
            settings.run.id,
            settings.attemptNumber,
            static_cast<std::uint32_t>(rank),
            static_cast<std::uint32_t>(rank < ranks ? ranks : settings.run.processes()),
            hostName(),
            static_cast<std::uint32_t>(settings.run.iterations),
            static_cast<std::uint32_t>(settings.run.warmup)};
}

/// "none" leaves out stamps, samples and telemetry, for the benchmark of what they cost (tests/bench).
bool measuringIsWanted()
{
    const char* measure = environment("RINGSIDE_MEASURE");
    return !measure || std::string_view(measure) != "none";
}

Result<void> checkWorldSize(const TrainSettings& settings, int worldSize)
{
    const int servers = settings.run.plan.serverRanks();
    if (worldSize == settings.run.processes())
        return {};
    const std::string beside = servers > 0 ? fmt::format(" and {} server ranks", servers) : std::string();
    return fail(ErrorCode::usage,
                fmt::format("The run has {} ranks{}, but {} were started.", settings.run.ranks(), beside, worldSize),
                "Start it with mpirun -n of that number.");
}

} // namespace

int codeOf(std::span<const float, 2> votes)
{
    if (votes[0] > 0)
        return exitcode::kNotANumber;
    return votes[1] > 0 ? exitcode::kTerminated : exitcode::kDone;
}

Rank::Rank()
    : m_clock(measuringIsWanted())
    , m_termination(kEndOfIteration, [this] { giveUp(); })
{
}

Rank::~Rank()
{
    m_openSpool.close();
}

Outcome<void> Rank::start(const TrainSettings& settings)
{
    if (settings.device.is_cuda())
        static_cast<void>(loadTorchCuda()); // brings its libnccl along, which the backend is to find
    if (!settings.interface.empty() && settings.run.processes() > 1)
        TRY_AS(exitcode::kSettings, useInterface(settings.interface));
    TRY_ASSIGN_AS(exitcode::kPeerLost, m_world, makeCommunicator());
    TRY_AS(exitcode::kSettings, checkWorldSize(settings, m_world->worldSize()));
    TRY_AS(exitcode::kPeerLost, useBackend(settings.backend, m_world));
    if (settings.backend == Backend::automatic) {
        TRY_ASSIGN_AS(exitcode::kPeerLost, m_choiceOfTransport, takeFasterTransport(m_world));
    }
    m_world = watched(std::move(m_world), m_watch);
    TRY_ASSIGN_AS(exitcode::kPeerLost, m_hosts, hostsOf(*m_world));
    m_training = settings.run.ranks();
    if (m_world->worldSize() > m_training) {
        TRY_ASSIGN_AS(exitcode::kPeerLost, m_peers, m_world->split(isServer() ? 1 : 0));
    }
    if (auto found = findGpu(settings); !found)
        return found;
    if (auto bound = bind(settings); !bound)
        return bound;
    return openSpool(settings);
}

/// Without a GPU on the host it fails with an error of the setting. Servers need none: they compute on their cores.
Outcome<void> Rank::findGpu(const TrainSettings& settings)
{
    if (!settings.device.is_cuda() || isServer())
        return {};
    TRY_ASSIGN_AS(exitcode::kSettings, m_gpu, cuda::gpuOf(m_world->localRank()).map_error([](Error error) {
        error.message = "Setting device is “cuda”. " + error.message;
        error.hint = "Use device “cpu”, or hosts with an NVIDIA GPU.";
        return error;
    }));
    return {};
}

Outcome<void> Rank::bind(const TrainSettings& settings)
{
    const std::vector<int> usable = usableCores();
    m_cores = coresOfRank(usable, m_world->localRank(), settings.coresPerRank);
    if (static_cast<int>(m_cores.size()) < settings.coresPerRank)
        say("rank {}: cores_per_rank is {}, but only {} cores may be used", m_world->rank(), settings.coresPerRank,
            m_cores.size());
    TRY_AS(exitcode::kSettings, bindTo(m_cores));
    if (!m_gpu)
        m_waitPolicy.emplace(static_cast<int>(usable.size()), static_cast<int>(m_cores.size()));
    return {};
}

Outcome<void> Rank::openSpool(const TrainSettings& settings)
{
    const int rank = m_world->rank();
    const auto path = layout::spoolFile(settings.attempt, rank);
    TRY_ASSIGN_AS(exitcode::kSettings, m_recorder, Recorder::create(path, headerOf(settings, rank)));
    m_openSpool.open(*m_recorder);
    m_recorder->add(clockPair());
    if (!m_clock.measures())
        return {};
    m_telemetry = std::make_unique<TelemetryThread>(
        [this] {
            return Heartbeat{0, m_clock.seq(), m_clock.phase(), m_watch.now()};
        },
        [this](const Record& record) { note(record); }, TelemetryPeriods{}, gpuReadings(),
        [this, warmup = static_cast<std::uint32_t>(settings.run.warmup)] {
            if (!m_clock.started())
                return LoopStage::before;
            return m_clock.seq() < warmup ? LoopStage::warmup : LoopStage::measured;
        });
    return {};
}

/// Called by the telemetry thread.
void Rank::note(const Record& record)
{
    m_recorder->add(record);
    if (const auto* reading = std::get_if<Telemetry>(&record); reading && m_waitPolicy)
        m_waitPolicy->follow(*reading);
}

/// The load of the GPU that this rank uses, if it uses one. A GPU that cannot be watched is no reason not to train.
TelemetryThread::Gpu Rank::gpuReadings()
{
    const std::string address = m_gpu ? m_gpu->pciBus : communicator().gpu();
    if (address.empty())
        return {};
    if (auto sampler = GpuSampler::open(address))
        return [sampler = *std::move(sampler)]() mutable { return sampler.sample(); };
    else
        say("rank {}: the GPU's load is not recorded: {}", m_world->rank(), sampler.error().text());
    return {};
}

int Rank::ranksOnHost() const
{
    return countOnHost(std::span(m_hosts).first(static_cast<std::size_t>(m_training)));
}

int Rank::rankOnHost() const
{
    return countOnHost(std::span(m_hosts).first(static_cast<std::size_t>(m_world->rank())));
}

int Rank::serversOnHost() const
{
    return countOnHost(std::span(m_hosts).subspan(static_cast<std::size_t>(m_training)));
}

int Rank::countOnHost(std::span<const std::string> hosts) const
{
    return static_cast<int>(std::ranges::count(hosts, m_hosts[static_cast<std::size_t>(m_world->rank())]));
}

Result<void> Rank::recordClock()
{
    TRY_ASSIGN(auto offset, measureClockOffset(communicator(), monotonicNs));
    if (m_hosts[static_cast<std::size_t>(m_world->rank())] == m_hosts.front())
        offset = {offset.atNs, 0, 0}; // one clock
    if (m_clock.measures())
        m_recorder->add(offset);
    return communicator().barrier(); // none begins while others still measure
}

Result<int> Rank::agreeOnEnd(int exitCode)
{
    if (!m_peers)
        return exitCode;
    std::array votes{exitCode == exitcode::kNotANumber ? 1.f : 0.f, exitCode == exitcode::kTerminated ? 1.f : 0.f};
    TRY(m_world->sumVotes(votes));
    return codeOf(votes);
}

int Rank::end(int exitCode)
{
    if (!m_recorder)
        return exitCode;
    m_telemetry.reset(); // its last reading belongs into the spool
    const auto complete = m_recorder->finish(exitCode);
    if (complete)
        return exitCode;
    sayError("rank {}: the spool is not complete: {}", m_world->rank(), complete.error().text());
    return exitCode == exitcode::kDone ? exitCodeOf(complete.error(), exitcode::kNoSpace) : exitCode;
}

int Rank::end(const Failure& failure)
{
    const auto who = m_world ? fmt::format("rank {}", m_world->rank()) : "ringside-worker";
    const std::string why = fmt::format("{}: {}", who, failure.error.text());
    const bool said = sayErrorLine(why); // last, for the runner repeats it
    end(failure.exitCode);
    if (!said) // the disk was full, and while the spool was completed there may have come room
        sayErrorLine(why);
    if (m_world && m_world->worldSize() > 1)
        m_world->abort(failure.exitCode);
    if (m_gpu) // one that has failed fails at every call, those at the end of the program among them
        std::_Exit(failure.exitCode);
    return failure.exitCode;
}

void Rank::giveUp()
{
    m_openSpool.complete(exitcode::kTerminated);
    std::_Exit(exitcode::kTerminated);
}

} // namespace ringside
