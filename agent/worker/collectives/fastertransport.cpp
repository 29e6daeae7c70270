// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/fastertransport.h"

#include "agent/worker/collectives/backends.h"

#include <algorithm>
#include <array>

namespace ringside {

namespace {

/// Stays on a host.
constexpr std::array<std::string_view, 3> kInside{"self", "sm", "vader"};

bool areOnOneHost(const std::vector<std::string>& hosts)
{
    return std::ranges::count(hosts, hosts.front()) == std::ssize(hosts);
}

/// On one host of several an MPI may have layers that it has not on another.
Result<bool> allGoByTcp(Communicator& communicator)
{
    std::uint64_t all = goesByTcp(communicator.transport());
    TRY(communicator.allReduceAnd({&all, 1}));
    return all != 0;
}

} // namespace

bool goesByTcp(const std::string& transport)
{
    constexpr std::string_view kLayers = "mpi: ob1 over ";
    if (!transport.starts_with(kLayers))
        return false;
    const std::string_view layers = std::string_view(transport).substr(0, transport.find(';')); // of sums on a node
    bool hasTcp = false;
    for (std::size_t at = kLayers.size(); at < layers.size();) {
        const std::size_t end = std::min(layers.find(", ", at), layers.size());
        const std::string_view layer = layers.substr(at, end - at);
        hasTcp |= layer == "tcp";
        if (layer != "tcp" && std::ranges::find(kInside, layer) == kInside.end())
            return false;
        at = end + 2;
    }
    return hasTcp;
}

Result<std::string> takeFasterTransport(std::unique_ptr<Communicator>& communicator)
{
    const std::string given = communicator->transport();
    TRY_ASSIGN(const auto hosts, hostsOf(*communicator));
    if (areOnOneHost(hosts))
        return fmt::format("{}, since all ranks are on one host", given);
    TRY_ASSIGN(const bool byTcp, allGoByTcp(*communicator));
    if (!byTcp)
        return fmt::format("{}, since between hosts this is not Open MPI's TCP alone", given);
    auto own = makeTcpCommunicator(communicator);
    if (!own)
        return fmt::format("{}, since the ranks did not meet otherwise: {}", given, own.error().message);
    communicator = std::move(*own);
    return fmt::format("{}, which has no faster way between hosts and sends more", communicator->transport());
}

} // namespace ringside
