// SPDX-License-Identifier: MIT
// One rank of the gradient test: gradients of all ranks by a plan against those of one rank with the joined batch.
// usage: gradientprobe TRIAL … (trials.h), whose model is LeNet, or "gpt2" for a small transformer, whose embedding is
// its output's weight, too; off is the worst tensor (relative norm). Exit code 0 if all trials' errors are allowed on
// this rank and communication was needed.
#include "agent/worker/endprocess.h"
#include "agent/worker/models/gpt2.h"
#include "agent/worker/selftest/plangradients.h"
#include "tests/worker/plans/sentlog.h"
#include "tests/worker/plans/trials.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <map>

using namespace ringside;

namespace {

constexpr double kOwnIsOff = 1e-2;
constexpr std::int64_t kWords = 600;

std::unique_ptr<Model> makeSmall(const ModelOptions& options)
{
    return makeGpt2(Gpt2Shape{.vocabulary = options.classes, .positions = 16, .width = 48, .heads = 3, .blocks = 2});
}

const ModelEntry kSmallGpt2{{"gpt2", "", kWords, 0, 0, 0, ModelInput::tokens, 16}, makeSmall};

/// One rank's ways to find the gradients of several models.
class Probe
{
public:
    Probe(Communicator& communicator, int nodes)
        : m_communicator(communicator)
        , m_log(communicator, nodes)
    {
    }

    bool isGood(const test::Trial& trial)
    {
        pretendNodes(m_communicator, trial.nodes);
        const PlanGradients& gradients = gradientsOf(trial.model);
        const auto found = gradients.aggregate(trial.plan, trial.iterations);
        if (found)
            m_log.endTrial(found->messages);
        if (found && trial.allows(found->worstError))
            return true;
        fmt::print("rank {}: {} {}, {} nodes: {}\n", m_communicator.rank(), trial.model, trial.plan.name, trial.nodes,
                   found ? fmt::format("relative error {:.1e}", found->worstError) : found.error().text());
        return false;
    }

    /// For every model that was tried.
    bool isCommunicationNeeded() const { return m_isNeeded; }

private:
    const PlanGradients& gradientsOf(const std::string& model)
    {
        const auto [found, isNew] =
            m_gradients.try_emplace(model, m_communicator, model == "gpt2" ? &kSmallGpt2 : nullptr);
        if (isNew)
            m_isNeeded = m_isNeeded && found->second.ownError() >= kOwnIsOff;
        return found->second;
    }

    Communicator& m_communicator;
    test::SentLog m_log;
    std::map<std::string, PlanGradients> m_gradients;
    bool m_isNeeded = true;
};

int exitCodeOf(std::span<char*> words)
{
    at::set_num_threads(1); // several processes share a core here, and threads that spin for one another starve
    const auto communicator = makeCommunicator();
    const auto trials = test::trialsIn(words);
    if (trials.empty() || !communicator || (*communicator)->worldSize() < 2)
        return 2;
    Probe probe(**communicator, trials.front().nodes);
    bool good = true;
    for (const test::Trial& trial : trials)
        good = probe.isGood(trial) && good;
    return good && probe.isCommunicationNeeded() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    endProcess(exitCodeOf(std::span(argv, static_cast<std::size_t>(argc))));
}
