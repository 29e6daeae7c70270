// SPDX-License-Identifier: MIT
// A probe's process among ranks that train and the servers behind them.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "agent/worker/plans/servers/parameterserver.h"

#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace ringside::test {

struct ServedWorld
{
    std::unique_ptr<Communicator> world;
    std::unique_ptr<Communicator> ranks; ///< that train; of a server: the servers
    int training = 0;
    bool isServer = false;

    static std::optional<ServedWorld> join(int servers)
    {
        auto world = makeCommunicator();
        if (!world)
            return std::nullopt;
        ServedWorld processes{std::move(*world), nullptr, 0, false};
        processes.training = processes.world->worldSize() - servers;
        processes.isServer = processes.world->rank() >= processes.training;
        auto ranks = processes.world->split(processes.isServer ? 1 : 0);
        if (!ranks || processes.training < 1)
            return std::nullopt;
        processes.ranks = std::move(*ranks);
        return processes;
    }

    /// Ends all processes if it cannot: the others would wait for it.
    void serve(const AggregationPlan& plan, const OptimizerSettings& optimizer) const
    {
        if (const auto report = ParameterServer(plan, optimizer, *world, training).serve(); !report)
            giveUp(report.error());
    }

    /// All processes call it between two plans: else a server gets word from one rank about the next before another has
    /// left.
    void endPlan() const
    {
        if (const auto met = world->barrier(); !met)
            giveUp(met.error());
    }

    [[noreturn]] void giveUp(const Error& error) const
    {
        fmt::print(stderr, "{}\n", error.text());
        world->abort(2);
        std::_Exit(2); // compilers do not take a virtual function's word for not returning
    }
};

} // namespace ringside::test
