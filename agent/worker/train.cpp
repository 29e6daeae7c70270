// SPDX-License-Identifier: MIT
#include "agent/worker/train.h"

#include "agent/worker/calibrate/calibrate.h"
#include "agent/worker/classifier.h"
#include "agent/worker/engine.h"
#include "agent/worker/plans/aggregator.h"
#include "agent/worker/rank.h"
#include "agent/worker/runtime/delays.h"
#include "agent/worker/serve.h"
#include "agent/worker/sgd.h"
#include "agent/worker/startexport.h"
#include "agent/worker/trainreport.h"

#include <array>
#include <cmath>

namespace ringside {

namespace {

/// Per-bucket timings of one iteration in so many, the first after the warm-up among them: under 5 % of the record.
constexpr std::uint32_t kBucketTimingsEvery = 20;

class Trainer
{
public:
    Trainer(const TrainSettings& settings, const Delays& delays, Rank& rank, BatchSource& data)
        : m_settings(settings)
        , m_delays(delays)
        , m_rank(rank)
        , m_data(data)
        , m_clock(rank.clock())
        , m_classifier(settings)
        , m_optimizer(m_classifier.model().parameters(), settings.optimizer)
    {
    }

    Model& model() { return m_classifier.model(); }

    /// All iterations, unless something ends them early; the exit code.
    Outcome<int> run()
    {
        TRY_ASSIGN_AS(exitcode::kPeerLost, m_aggregator,
                      makeAggregator(m_settings.run.plan, model().parameters(), m_rank.communicator(),
                                     {m_delays.hook, m_delays.allReduce}, &m_rank.world()));
        m_clock.start();
        int code = exitcode::kDone;
        for (int i = 0; i < m_settings.run.iterations && code == exitcode::kDone; ++i) {
            auto ended = iterate();
            if (!ended)
                return ended;
            code = *ended;
        }
        m_aggregator.reset(); // servers, too, are told that this rank has done its part
        TRY_ASSIGN_AS(exitcode::kPeerLost, code, m_rank.agreeOnEnd(code));
        return code;
    }

private:
    Outcome<int> iterate()
    {
        m_clock.enter(Phase::inputWait);
        TRY_ASSIGN_AS(exitcode::kData, const auto batch, m_data.next());

        m_clock.enter(Phase::h2d);
        m_classifier.load(batch);
        pause(m_delays.copy);

        m_clock.enter(Phase::forward);
        const auto graph = m_classifier.forward();
        const auto loss = graph.item<float>();

        m_clock.enter(Phase::backward);
        m_aggregator->begin();
        m_classifier.backward(graph, m_aggregator->gradientScale());

        m_clock.enter(Phase::commExposed);
        TRY_AS(exitcode::kPeerLost, m_aggregator->finish());
        TRY_ASSIGN_AS(exitcode::kPeerLost, const int code, agree(loss));

        m_clock.enter(Phase::update);
        if (!m_aggregator->takeWeights())
            m_optimizer.step();
        pause(m_delays.optimizer);

        m_clock.enter(Phase::other);
        record(batch, loss);
        return code;
    }

    /// Whether to go on, the same answer on all ranks that wait for each other: one that stopped alone would leave the
    /// others waiting for ever.
    Result<int> agree(float loss)
    {
        std::array votes{std::isfinite(loss) ? 0.f : 1.f, m_rank.terminationRequested() ? 1.f : 0.f};
        TRY(m_aggregator->vote(votes, m_rank.communicator()));
        return codeOf(votes);
    }

    void record(const Batch& batch, float loss)
    {
        const auto iteration = m_clock.turn();
        if (!m_clock.measures())
            return;
        const auto& timings = m_aggregator->timings();
        m_rank.recorder().add(sampleOf(iteration, batch, timings, loss));
        if (!timings.empty() && iteration.seq % kBucketTimingsEvery == warmup() % kBucketTimingsEvery)
            m_rank.recorder().add(bucketTimingsOf(iteration, timings));
    }

    std::uint32_t warmup() const { return static_cast<std::uint32_t>(m_settings.run.warmup); }

    static void pause(const Delay& delay)
    {
        if (delay)
            delay();
    }

    const TrainSettings& m_settings;
    const Delays& m_delays;
    Rank& m_rank;
    BatchSource& m_data;
    PhaseClock& m_clock;
    Classifier m_classifier;
    Sgd m_optimizer;
    std::unique_ptr<Aggregator> m_aggregator;
};

Outcome<int> trainWith(TrainSettings& settings, const Delays& delays, Rank& rank)
{
    TRY_AS(exitcode::kOutOfMemory, checkMemory(settings, rank.ranksOnHost()));
    completeDataSettings(settings, rank.communicator(), delays.decode);
    TRY_ASSIGN_AS(exitcode::kData, const auto data, openBatchSource(settings.data));
    Trainer trainer(settings, delays, rank, *data);
    TRY_AS(exitcode::kPeerLost, shareWeights(trainer.model(), rank.communicator()));
    TRY_AS(exitcode::kSettings, reportStart(settings, trainer.model(), *data, rank));
    TRY_AS(exitcode::kSettings, exportStart(settings, trainer.model(), *data));
    TRY_AS(exitcode::kPeerLost, recordCanary(rank, settings, false));
    TRY_AS(exitcode::kPeerLost, rank.recordClock());
    const auto beganNs = monotonicNs();
    auto code = trainer.run();
    const auto elapsedNs = monotonicNs() - beganNs;
    if (code && *code != exitcode::kTerminated) // the same on all ranks; who is told to end has no time for more
        TRY_AS(exitcode::kPeerLost, rank.recordClock());
    if (code && *code == exitcode::kDone)
        TRY_AS(exitcode::kPeerLost, recordCanary(rank, settings, true));
    reportEnd(settings, rank, code, elapsedNs);
    return code;
}

Outcome<int> trainOn(Rank& rank, const TrainRequest& request)
{
    TRY_ASSIGN_AS(exitcode::kSettings, auto settings, readTrainSettings(request));
    TRY_ASSIGN_AS(exitcode::kSettings, const auto delays, parseDelays(request.delays));
    if (auto started = rank.start(settings); !started)
        return tl::unexpected(started.error());
    startEngine(settings, rank.cores());
    if (rank.isServer())
        return serve(settings, rank);
    try {
        return trainWith(settings, delays, rank);
    } catch (const std::exception& error) { // libtorch reports by exceptions
        return tl::unexpected(failureOf(error, settings));
    }
}

} // namespace

int train(const TrainRequest& request)
{
    Rank rank;
    try {
        const auto code = trainOn(rank, request);
        return code ? rank.end(*code) : rank.end(code.error());
    } catch (const std::exception& error) {
        return rank.end(failureOf(error));
    }
}

} // namespace ringside
