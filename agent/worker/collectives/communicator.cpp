// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/backends.h"
#include "agent/worker/collectives/tcpsocket.h"
#include "core/base/environment.h"
#include "core/base/rankvariables.h"

#include <algorithm>
#include <climits>
#include <cstdlib>

namespace ringside {

bool startedAsRank()
{
    return std::ranges::any_of(kSignsOfRank, environment);
}

Result<void> useInterface(const std::string& name)
{
    if (ownAddresses(name).empty())
        return fail(ErrorCode::notFound,
                    fmt::format("{} has no network interface {} with an address.", hostName(), name),
                    fmt::format("It has {}. Change the setting “interface”.", networkLinks()));
    for (const auto& [variable, value] : variablesOfInterface(name))
        setenv(variable.c_str(), value.c_str(), 1);
    setenv(kTcpInterfaceVariable, name.c_str(), 1);
    return {};
}

Result<std::unique_ptr<Communicator>> makeCommunicator()
{
    if (!startedAsRank())
        return makeSingleCommunicator();
    if (environment(kTcpMeetingVariable))
        return makeTcpCommunicator();
#ifdef RINGSIDE_WITH_MPI
    return makeMpiCommunicator();
#else
    return fail(ErrorCode::unavailable,
                "This ringside-worker was built without MPI, but mpirun started it as one of several ranks.",
                "Build it where MPI is installed, or choose direct as the site's launcher.");
#endif
}

namespace {

/// For calls that enqueue nothing.
class Nothing : public Transfer
{
public:
    Result<bool> isDone() override { return true; }
    Result<void> await() override { return {}; }
};

} // namespace

Result<std::unique_ptr<Transfer>> Communicator::enqueued()
{
    return std::make_unique<Nothing>();
}

Result<std::string> allGather(Communicator& communicator, const std::string& bytes)
{
    std::string all(bytes.size() * static_cast<std::size_t>(communicator.worldSize()), '\0');
    TRY(communicator.allGather(std::as_bytes(std::span(bytes)), std::as_writable_bytes(std::span(all))));
    return all;
}

Result<std::vector<std::string>> hostsOf(Communicator& communicator)
{
    std::string name = communicator.host();
    name.resize(HOST_NAME_MAX + 1);
    TRY_ASSIGN(const std::string names, allGather(communicator, name));
    std::vector<std::string> hosts;
    for (std::size_t at = 0; at < names.size(); at += name.size())
        hosts.emplace_back(names.substr(at, name.size()).c_str());
    return hosts;
}

#ifndef RINGSIDE_WITH_MPI
std::string mpiVersion()
{
    return {};
}

bool hasToExit()
{
    return false;
}
#endif

} // namespace ringside
