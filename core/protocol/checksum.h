// SPDX-License-Identifier: MIT
// CRC-32C (Castagnoli), the checksum of spool blocks, journal lines and frames.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringside {

std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed = 0);

} // namespace ringside
