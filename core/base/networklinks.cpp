// SPDX-License-Identifier: MIT
#include "core/base/networklinks.h"

#include "core/base/text.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace ringside {

namespace {

namespace fs = std::filesystem;

std::string lineOf(const fs::path& path)
{
    std::string line;
    std::ifstream file(path);
    std::getline(file, line);
    return plainText(line);
}

std::vector<fs::path> sortedEntries(const fs::path& folder)
{
    std::vector<fs::path> entries;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        entries.push_back(entry.path());
    std::ranges::sort(entries);
    return entries;
}

/// Its driver says -1, or nothing at all, where there is no speed to report.
std::optional<std::string> describeEthernet(const fs::path& interface)
{
    const std::string state = lineOf(interface / "operstate");
    if (interface.filename() == "lo" || state == "down" || state.empty())
        return std::nullopt;
    const std::string speed = lineOf(interface / "speed");
    const std::string name = interface.filename().string();
    return std::atoi(speed.c_str()) > 0 ? fmt::format("{} {} Mbit/s", name, speed) : name;
}

std::optional<std::string> describeInfiniband(const fs::path& port, const std::string& device)
{
    const std::string rate = lineOf(port / "rate");
    if (rate.empty() || lineOf(port / "state").find("ACTIVE") == std::string::npos)
        return std::nullopt;
    return device + " " + rate;
}

} // namespace

std::string hostName()
{
    char name[HOST_NAME_MAX + 1] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
}

std::string networkLinks(const fs::path& sys)
{
    std::vector<std::string> links;
    for (const auto& interface : sortedEntries(sys / "class/net"))
        if (auto link = describeEthernet(interface))
            links.push_back(std::move(*link));
    for (const auto& device : sortedEntries(sys / "class/infiniband"))
        for (const auto& port : sortedEntries(device / "ports"))
            if (auto link = describeInfiniband(port, device.filename().string()))
                links.push_back(std::move(*link));
    return fmt::format("{}", fmt::join(links, ", "));
}

namespace {

/// Returns that of the first interface that this one lies on and that has one: all of a bond have the same.
std::optional<std::string> adapterPortBelow(const fs::path& device, const fs::path& sys)
{
    constexpr std::string_view kBelow = "lower_";
    for (const fs::path& entry : sortedEntries(device))
        if (const std::string name = entry.filename().string(); name.starts_with(kBelow))
            if (auto port = adapterPortOf(name.substr(kBelow.size()), sys))
                return port;
    return std::nullopt;
}

} // namespace

/// The kernel counts ports of network devices from 0, those of adapters from 1.
std::optional<std::string> adapterPortOf(const std::string& interface, const fs::path& sys)
{
    const fs::path device = sys / "class/net" / interface;
    const std::vector<fs::path> adapters = sortedEntries(device / "device/infiniband");
    if (adapters.empty())
        return adapterPortBelow(device, sys);
    const int port = std::atoi(lineOf(device / "dev_port").c_str()) + 1;
    return fmt::format("{}:{}", adapters.front().filename().string(), port);
}

/// NCCL would take a bare name for the beginning of one. What has no adapter behind it is used by sockets alone: NCCL
/// would take any adapter of the host.
std::map<std::string, std::string> variablesOfInterface(const std::string& name, const fs::path& sys)
{
    const auto adapterPort = adapterPortOf(name, sys);
    return {{"OMPI_MCA_btl_tcp_if_include", name},
            {"UCX_NET_DEVICES", adapterPort ? *adapterPort + "," + name : name},
            {"FI_TCP_IFACE", name},
            {"FI_SOCKETS_IFACE", name},
            {"FI_VERBS_IFACE", name},
            {"NCCL_SOCKET_IFNAME", "=" + name},
            adapterPort ? std::pair{"NCCL_IB_HCA", "=" + *adapterPort} : std::pair{"NCCL_IB_DISABLE", std::string("1")},
            {kGlooInterface, name}};
}

} // namespace ringside
