// SPDX-License-Identifier: MIT
// CRC-32C (Castagnoli), the checksum of spool blocks, journal lines and frames.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringside {

/// Uses the processor's instruction where there is one (SSE 4.2), else a table.
/// `seed` is the checksum of what came before: crc32c(ab) == crc32c(b, crc32c(a)).
std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed = 0);

} // namespace ringside
