// SPDX-License-Identifier: MIT
// The envelope that spools and the wire share: u32 payload length, u32 CRC-32C of the length field and the payload,
// payload.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside {

inline constexpr std::size_t kBlockHeaderBytes = 8;

/// Appends the envelope and `payload` (1 byte to 4 GiB) to `out`.
void appendBlock(std::string& out, std::string_view payload);

/// The payload of the block that `bytes` begins with, as a view into it; nullopt while the block is not whole.
/// Fails with damaged for a length of zero or above `limit` (before the payload is there), or a wrong checksum.
Result<std::optional<std::string_view>> peekBlock(std::string_view bytes, std::uint32_t limit);

} // namespace ringside
