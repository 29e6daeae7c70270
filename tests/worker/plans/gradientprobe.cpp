// SPDX-License-Identifier: MIT
// One rank of the gradient test: gradients of all ranks by a plan against those of one rank with the joined batch.
// usage: gradientprobe ITERATIONS TOLERANCE PLAN …: how far the worst tensor may be off (relative norm), and
// plan.json's words for plans. Exit code 0 if they agree on this rank and communication was needed.
#include "agent/worker/selftest/plangradients.h"

#include <ATen/Parallel.h>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace ringside;

namespace {

constexpr double kOwnIsOff = 1e-2;

} // namespace

int main(int argc, char** argv)
{
    at::set_num_threads(1); // several processes share a core here, and threads that spin for one another starve
    const auto communicator = makeCommunicator();
    if (argc < 4 || !communicator || (*communicator)->worldSize() < 2)
        return 2;
    const PlanGradients gradients(**communicator);
    bool good = gradients.ownError() >= kOwnIsOff;
    for (int i = 3; i < argc; ++i) {
        const auto plan = aggregationPlanFromJson(nlohmann::json::parse(argv[i]));
        if (!plan)
            return 2;
        const auto error = gradients.worstError(*plan, std::atoi(argv[1]));
        if (error && *error <= std::atof(argv[2]))
            continue;
        fmt::print("rank {}: {}: {}\n", (*communicator)->rank(), plan->name,
                   error ? fmt::format("relative error {:.1e}", *error) : error.error().text());
        good = false;
    }
    return good ? 0 : 1;
}
