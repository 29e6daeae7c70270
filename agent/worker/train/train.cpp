// SPDX-License-Identifier: MIT
#include "agent/worker/train/train.h"

#include "agent/worker/device/device.h"
#include "agent/worker/plans/merging.h"
#include "agent/worker/train/calibrate.h"
#include "agent/worker/train/delays.h"
#include "agent/worker/train/engine.h"
#include "agent/worker/train/graphedpasses.h"
#include "agent/worker/train/iterationrecorder.h"
#include "agent/worker/train/rank.h"
#include "agent/worker/train/serve.h"
#include "agent/worker/train/startexport.h"
#include "agent/worker/train/step.h"
#include "agent/worker/train/trainreport.h"

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

namespace ringside {

namespace {

class Trainer
{
public:
    Trainer(const TrainSettings& settings, const PartMakers& parts, Rank& rank, BatchSource& data)
        : m_settings(settings)
        , m_parts(parts)
        , m_rank(rank)
        , m_data(data)
        , m_clock(rank.clock())
        , m_classifier(parts.classifier(settings))
        , m_recorder(settings, *m_classifier, m_clock, rank.recorder())
    {
    }

    Model& model() { return m_classifier->model(); }

    /// Once the weights are those of all ranks, which exchange them in the host's memory.
    void moveToDevice()
    {
        if (!isOnGpu(m_settings))
            return;
        m_classifier->moveTo(m_settings.device);
        m_recorder.followDevice();
    }

    /// Prepares the plan before the first iteration; returns facts about it. Collective.
    Result<std::map<std::string, std::string>> prepare()
    {
        TRY_ASSIGN(m_preparation, preparePlan(m_settings.run, *m_classifier, m_rank.communicator()));
        return m_preparation.facts;
    }

    /// From here on an iteration's passes are one graph. Called once single layers are no longer observed.
    void useGraph(std::unique_ptr<DeviceGraph> graph) { m_graphed.emplace(*m_classifier, std::move(graph)); }

    /// After how many iterations the last vote was.
    std::uint32_t votedAfter() const { return m_votedAfter; }

    /// All iterations, unless something ends them early; the exit code.
    Outcome<int> run()
    {
        const auto& parameters = model().parameters();
        TRY_ASSIGN_AS(exitcode::kPeerLost, auto aggregator,
                      m_parts.aggregator({m_settings.run.plan, parameters, m_rank.communicator(), &m_rank.world(),
                                          m_preparation.merged}));
        OptimizerSettings optimizer = m_settings.optimizer;
        if (m_settings.run.plan.serverRanks() > 0)
            optimizer.momentum = 0; // servers have the momenta; it never steps here
        m_step = makeStep(model(), std::move(aggregator), m_parts.optimizer(parameters, optimizer), m_clock);
        if (m_parts.observer)
            m_clock.add(*m_parts.observer);
        m_clock.start();
        int code = exitcode::kDone;
        for (int i = 0; i < m_settings.run.iterations && code == exitcode::kDone; ++i) {
            auto ended = iterate(i + 1 == m_settings.run.iterations);
            if (!ended)
                return ended;
            code = *ended;
        }
        TRY_ASSIGN_AS(exitcode::kPeerLost, code, endLate(code));
        m_step.reset(); // servers, too, are informed that this rank has done its part
        TRY_ASSIGN_AS(exitcode::kPeerLost, code, m_rank.agreeOnEnd(code));
        return code;
    }

private:
    struct Passed
    {
        float loss = 0;             ///< on a GPU of the iteration before
        int code = exitcode::kDone; ///< else the ranks have agreed to end before backward
    };

    Outcome<int> iterate(bool isLast)
    {
        m_recorder.begin(!m_graphed); // inside a graph no layer has borders

        m_clock.enter(Phase::inputWait);
        TRY_ASSIGN_AS(exitcode::kData, const auto batch, takeBatch());

        m_clock.enter(Phase::h2d);
        m_classifier->load(batch);

        TRY_ASSIGN_AS(exitcode::kPeerLost, const Passed passed, m_graphed ? passAsGraph() : pass());
        if (passed.code != exitcode::kDone)
            return passed.code;
        if (!isLast)
            TRY_AS(exitcode::kData, bringNext());

        TRY_ASSIGN_AS(exitcode::kPeerLost, const bool isComplete, m_step->finish(isLast));
        int code = exitcode::kDone;
        if (isComplete) {
            TRY_ASSIGN_AS(exitcode::kPeerLost, code, agree(passed.loss, m_clock.seq() + 1 - lossDelay()));
            m_step->update();
        }
        m_recorder.end(batch, passed.loss);
        if (isComplete)
            m_recorder.record(aggregator().timings());
        return code;
    }

    Aggregator& aggregator() { return m_step->aggregator(); }

    Result<Batch> takeBatch() { return m_next ? *std::exchange(m_next, std::nullopt) : m_data.next(); }

    /// While a GPU still computes on this batch, and before the host waits for gradients, the next one is copied, if it
    /// is there. Not where phases are serialised: this one would wait for it.
    Result<void> bringNext()
    {
        if (!m_classifier->ring() || m_settings.serialised || !m_data.isReady())
            return {};
        aggregator().launch();
        TRY_ASSIGN(m_next, m_data.next());
        m_clock.enter(Phase::h2d);
        m_classifier->bring(*m_next);
        return {};
    }

    /// Forward and backward.
    Result<Passed> pass()
    {
        m_clock.enter(Phase::forward);
        m_step->beforeForward(m_recorder.layers());
        const auto graph = m_classifier->forward();
        const float loss = m_recorder.lossOf(graph);
        TRY_ASSIGN(const bool isBeforeComplete, m_step->afterForward());
        if (isBeforeComplete) {
            TRY_ASSIGN(const int before, recordBefore());
            if (before != exitcode::kDone)
                return Passed{loss, before};
        }
        m_clock.enter(Phase::backward);
        aggregator().begin();
        m_classifier->backward(graph, aggregator().gradientScale());
        return Passed{loss};
    }

    /// There are no borders inside a graph: both passes are of phase backward.
    Result<Passed> passAsGraph()
    {
        m_clock.enter(Phase::backward);
        aggregator().begin();
        const auto ready = [this](std::size_t tensor) { aggregator().ready(tensor); };
        return Passed{m_recorder.lossOf(m_graphed->run(aggregator().gradientScale(), ready))};
    }

    /// Records the iteration before, which this one's forward pass has completed. Returns the code to go on or to end
    /// with.
    Result<int> recordBefore()
    {
        TRY_ASSIGN(const int code, agree(m_recorder.endedLoss(), m_clock.seq() - lossDelay()));
        m_clock.enter(Phase::other);
        m_recorder.record(aggregator().timings());
        return code;
    }

    /// Iterations by which the loss that is known is behind: on a GPU it comes with the next one.
    std::uint32_t lossDelay() const { return isOnGpu(m_settings) ? 1 : 0; }

    /// The code to go on or to end with, the same on all ranks that wait for each other: one that stopped alone would
    /// leave the others waiting for ever. The answer is that of the vote before; this one's comes while the next
    /// iteration computes, so that no rank waits for it.
    Result<int> agree(float loss, std::uint32_t afterIterations)
    {
        TRY_ASSIGN(const int before, lastVote());
        if (before == exitcode::kDone) {
            m_votedAfter = afterIterations;
            aggregator().startVote({std::isfinite(loss) ? 0.f : 1.f, m_rank.terminationRequested() ? 1.f : 0.f});
        }
        return before;
    }
    Result<int> lastVote()
    {
        TRY_ASSIGN(const Votes votes, aggregator().awaitVote());
        return codeOf(votes);
    }

    /// On a GPU it is known late whether the last loss was a number; it is voted on here unless a rank has no time.
    Result<int> endLate(int code)
    {
        const std::optional<float> last = m_recorder.endLate();
        if (last && code == exitcode::kDone) {
            TRY_ASSIGN(code, agree(*last, m_clock.seq()));
        }
        return code == exitcode::kDone ? lastVote() : code;
    }

    const TrainSettings& m_settings;
    const PartMakers& m_parts;
    Rank& m_rank;
    BatchSource& m_data;
    PhaseClock& m_clock;
    std::unique_ptr<Classifier> m_classifier;
    IterationRecorder m_recorder;
    std::optional<Batch> m_next; ///< loaded already, for the iteration to come
    Preparation m_preparation;
    std::unique_ptr<Step> m_step;
    std::optional<GraphedPasses> m_graphed;
    std::uint32_t m_votedAfter = 0;
};

/// Owns the trainer. One that has failed on a GPU is not destroyed: a GPU's error comes back at every call, also when
/// memory is freed, and would end the process before the reason could be reported.
class TrainerOwner
{
public:
    TrainerOwner(std::unique_ptr<Trainer> trainer, bool isOnGpu)
        : m_trainer(std::move(trainer))
        , m_leavesIt(isOnGpu)
    {
    }
    TrainerOwner(const TrainerOwner&) = delete;
    TrainerOwner& operator=(const TrainerOwner&) = delete;
    ~TrainerOwner()
    {
        if (m_leavesIt)
            static_cast<void>(m_trainer.release());
    }
    Trainer* operator->() { return m_trainer.get(); }
    void hasEndedWell() { m_leavesIt = false; }

private:
    std::unique_ptr<Trainer> m_trainer;
    bool m_leavesIt;
};

Outcome<int> trainWith(TrainSettings& settings, const PartMakers& parts, Rank& rank, const TrainRequest& request)
{
    settings.data.rank = rank.communicator().rank();
    settings.data.worldSize = rank.communicator().worldSize();
    settings.data.rankOnHost = rank.rankOnHost();
    settings.data.ranksOnHost = rank.ranksOnHost();
    TRY_AS(exitcode::kPeerLost, recordCanary(rank, settings, false)); // before loader threads are at work
    if (rank.communicator().rank() == 0)
        TRY_AS(exitcode::kData, prepareBatchSource(settings.data));
    TRY_AS(exitcode::kPeerLost, rank.communicator().barrier());
    TRY_ASSIGN_AS(exitcode::kData, auto data, parts.data(settings.data));
    TRY_AS(exitcode::kPeerLost,
           rank.communicator().barrier()); // nodes may copy for long; sums are not waited for so long
    TrainerOwner trainer(std::make_unique<Trainer>(settings, parts, rank, *data), isOnGpu(settings));
    TRY_AS(exitcode::kPeerLost, shareWeights(trainer->model(), rank.communicator()));
    trainer->moveToDevice();
    separateRandomNumbers(settings.seed, rank.communicator().rank());
    TRY_ASSIGN_AS(exitcode::kPeerLost, auto planFacts, trainer->prepare());
    if (!rank.choiceOfTransport().empty())
        planFacts["plan_transport"] = rank.choiceOfTransport();
    if (settings.cudaGraph) {
        TRY_ASSIGN_AS(exitcode::kSettings, auto graph, request.makeGraph());
        trainer->useGraph(std::move(graph));
    }
    TRY_ASSIGN_AS(exitcode::kPeerLost, Facts facts, gatherFacts(rank, settings.seed));
    if (rank.isFirst())
        TRY_AS(exitcode::kSettings, reportStart(settings, trainer->model(), *data, rank, planFacts, std::move(facts)));
    TRY_AS(exitcode::kSettings, exportStart(settings, trainer->model(), *data));
    TRY_AS(exitcode::kPeerLost, rank.recordClock());
    const auto beganNs = monotonicNs();
    auto code = trainer->run();
    if (code)
        trainer.hasEndedWell();
    const auto elapsedNs = monotonicNs() - beganNs;
    data.reset(); // no batch is asked for any more, and loader threads would disturb what is measured now
    if (code && *code != exitcode::kTerminated) // the same on all ranks; one that is told to end has no time for more
        TRY_AS(exitcode::kPeerLost, rank.recordClock());
    if (code && *code == exitcode::kDone)
        TRY_AS(exitcode::kPeerLost, recordCanary(rank, settings, true));
    reportEnd(settings, rank, code, trainer->votedAfter(), elapsedNs);
    return code;
}

Outcome<int> trainOn(Rank& rank, const TrainRequest& request)
{
    TRY_ASSIGN_AS(exitcode::kSettings, auto settings, readTrainSettings(request));
    TRY_ASSIGN_AS(exitcode::kSettings, const auto parts, partsWith(request.delays));
    if (auto started = rank.start(settings); !started)
        return tl::unexpected(started.error());
    if (isOnGpu(settings) && !rank.isServer()) {
        TRY_ASSIGN_AS(exitcode::kSettings, settings.device,
                      openDevice(settings.device.type(), rank.world().localRank()));
    }
    startEngine(settings, rank.cores());
    TRY_AS(exitcode::kOutOfMemory, checkMemory(settings, rank.ranksOnHost(), rank.serversOnHost()));
    TRY_AS(exitcode::kPeerLost, rank.world().barrier()); // no rank frees its memory while another still looks
    if (rank.isServer())
        return serve(settings, rank);
    try {
        return trainWith(settings, parts, rank, request).map_error([&](Failure failure) {
            return named(std::move(failure), settings);
        });
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
