// SPDX-License-Identifier: MIT
// A conductor for tests and benchmarks, which have nothing else to do while a request is carried out.
#pragma once

#include "core/conductor/conductor.h"

#include <future>

namespace ringside::test {

/// Each request blocks until it is completed; after two minutes it fails with timeout.
class WaitingConductor
{
public:
    static Result<std::unique_ptr<WaitingConductor>> open(const ConductorOptions& options, Sink& sink)
    {
        TRY_ASSIGN(std::unique_ptr<Conductor> conductor, Conductor::open(options, sink));
        return std::make_unique<WaitingConductor>(std::move(conductor));
    }
    explicit WaitingConductor(std::unique_ptr<Conductor> conductor)
        : m_conductor(std::move(conductor))
    {
    }

    Result<void> saveExperiment(const spec::Experiment& experiment)
    {
        return await<void>([&](auto done) { m_conductor->saveExperiment(experiment, std::move(done)); });
    }
    Result<void> setStarred(const std::string& experiment, bool starred)
    {
        return await<void>([&](auto done) { m_conductor->setStarred(experiment, starred, std::move(done)); });
    }
    Result<void> deleteExperiment(const std::string& experiment)
    {
        return await<void>([&](auto done) { m_conductor->deleteExperiment(experiment, std::move(done)); });
    }
    Result<LaunchPreview> preview(const LaunchRequest& request)
    {
        return await<LaunchPreview>([&](auto done) { m_conductor->preview(request, std::move(done)); });
    }
    Result<void> launch(const LaunchRequest& request)
    {
        return await<void>([&](auto done) { m_conductor->launch(request, std::move(done)); });
    }
    Result<void> control(const ControlOrder& order)
    {
        return await<void>([&](auto done) { m_conductor->control(order, std::move(done)); });
    }
    Result<void> collect()
    {
        return await<void>([&](auto done) { m_conductor->collect(std::move(done)); });
    }
    Result<void> prepareSite(const std::string& site, bool computeNode = false)
    {
        return await<void>([&](auto done) { m_conductor->prepareSite(site, computeNode, std::move(done)); });
    }
    Result<void> disconnectSite(const std::string& site)
    {
        return await<void>([&](auto done) { m_conductor->disconnectSite(site, std::move(done)); });
    }
    Result<std::vector<wire::InstalledItem>> listInstalled(const std::string& site)
    {
        return await<std::vector<wire::InstalledItem>>(
            [&](auto done) { m_conductor->listInstalled(site, std::move(done)); });
    }
    Result<wire::DeleteReply> removeInstalled(const std::string& site, const std::vector<wire::Item>& items)
    {
        return await<wire::DeleteReply>([&](auto done) { m_conductor->removeInstalled(site, items, std::move(done)); });
    }
    Result<InstalledEngine> askEngine(const std::string& site, const wire::EngineRequest& request)
    {
        return await<InstalledEngine>([&](auto done) { m_conductor->askEngine(site, request, {}, std::move(done)); });
    }
    Result<void> followLog(const RunId& run)
    {
        return await<void>([&](auto done) { m_conductor->followLog(run, std::move(done)); });
    }

private:
    template <class T, class Ask> static Result<T> await(const Ask& ask)
    {
        const auto promise = std::make_shared<std::promise<Result<T>>>(); // it may come after the limit
        std::future<Result<T>> value = promise->get_future();
        ask(Completion<T>([promise](Result<T> result) { promise->set_value(std::move(result)); }));
        if (value.wait_for(std::chrono::minutes(2)) != std::future_status::ready)
            return fail(ErrorCode::timeout, "A request was not completed within two minutes.");
        return value.get();
    }

    std::unique_ptr<Conductor> m_conductor;
};

} // namespace ringside::test
