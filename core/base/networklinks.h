// SPDX-License-Identifier: MIT
// Describes what connects this machine to others, and its names there.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace ringside {

/// Returns this host's name, as the system says it.
std::string hostName();

/// The links of this host, with the speeds that its drivers report: "eth0 10000 Mbit/s, mlx5_0 100 Gb/sec". Loopback
/// and links that are down are left out.
std::string networkLinks(const std::filesystem::path& sys = "/sys");

/// The port of an InfiniBand or RoCE adapter behind a network interface, or behind what a bond, a VLAN or a bridge lies
/// on, as UCX and NCCL name it: "mlx5_0:1"; nullopt: there is none.
std::optional<std::string> adapterPortOf(const std::string& interface, const std::filesystem::path& sys = "/sys");

/// The variables by which Open MPI, UCX, libfabric's tcp, sockets and verbs, NCCL and Gloo use this interface and no other.
std::map<std::string, std::string> variablesOfInterface(const std::string& name,
                                                        const std::filesystem::path& sys = "/sys");
inline constexpr const char* kGlooInterface = "GLOO_SOCKET_IFNAME";

} // namespace ringside
