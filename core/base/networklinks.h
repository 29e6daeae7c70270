// SPDX-License-Identifier: MIT
// What connects this machine to others, and what they call it.
#pragma once

#include <filesystem>
#include <string>

namespace ringside {

/// As the system says it.
std::string hostName();

/// What this host is connected by, with the speeds that its drivers tell: "eth0 10000 Mbit/s, mlx5_0 100 Gb/sec".
/// Loopback and links that are down are left out.
std::string networkLinks(const std::filesystem::path& sys = "/sys");

} // namespace ringside
