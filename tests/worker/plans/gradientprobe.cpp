// SPDX-License-Identifier: MIT
// One rank of the gradient test: gradients of all ranks by a plan against those of one rank with the joined batch.
// usage: gradientprobe [nodes=N] [MODEL] ITERATIONS TOLERANCE PLAN …: on how many nodes ranks say that they are;
// "lenet" if nothing is said, or "gpt2" for a small transformer, whose embedding is its output's weight, too; how far
// the worst tensor may be off (relative norm), and plan.json's words for plans. Exit code 0 if they agree on this rank
// and communication was needed.
#include "agent/worker/models/gpt2.h"
#include "agent/worker/selftest/plangradients.h"
#include "tests/worker/plans/sentlog.h"

#include <ATen/Parallel.h>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace ringside;

namespace {

constexpr double kOwnIsOff = 1e-2;
constexpr std::int64_t kWords = 600;

std::unique_ptr<Model> makeSmall(const ModelOptions& options)
{
    return makeGpt2(Gpt2Shape{.vocabulary = options.classes, .positions = 16, .width = 48, .heads = 3, .blocks = 2});
}

const ModelEntry kSmallGpt2{{"gpt2", "", kWords, 0, 0, 0, ModelInput::tokens, 16}, makeSmall};

} // namespace

int main(int argc, char** argv)
{
    at::set_num_threads(1); // several processes share a core here, and threads that spin for one another starve
    const auto communicator = makeCommunicator();
    constexpr std::string_view kNodes = "nodes=";
    if (argc > 1 && communicator && std::string_view(argv[1]).starts_with(kNodes)) {
        pretendNodes(**communicator, std::atoi(argv[1] + kNodes.size()));
        --argc, ++argv;
    }
    const std::string_view model = argc > 1 ? argv[1] : "";
    const bool isNamed = model == "lenet" || model == "gpt2";
    argc -= isNamed;
    argv += isNamed;
    if (argc < 4 || !communicator || (*communicator)->worldSize() < 2)
        return 2;
    const PlanGradients gradients(**communicator, model == "gpt2" ? &kSmallGpt2 : nullptr);
    bool good = gradients.ownError() >= kOwnIsOff;
    for (int i = 3; i < argc; ++i) {
        const auto plan = aggregationPlanFromJson(nlohmann::json::parse(argv[i]));
        if (!plan)
            return 2;
        const auto found = gradients.aggregate(*plan, std::atoi(argv[1]));
        if (found)
            test::logSent(**communicator, found->messages);
        if (found && found->worstError <= std::atof(argv[2]))
            continue;
        fmt::print("rank {}: {}: {}\n", (*communicator)->rank(), plan->name,
                   found ? fmt::format("relative error {:.1e}", found->worstError) : found.error().text());
        good = false;
    }
    return good ? 0 : 1;
}
