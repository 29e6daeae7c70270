// SPDX-License-Identifier: MIT
// One record of a spool to bytes and back. Layout in PROTOCOL.md.
#pragma once

#include "core/base/error.h"
#include "core/protocol/sample.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside {

/// Appends u16 type, u32 length and the fields of the record.
void appendRecord(std::string& out, const Record& record);

/// The record from its fields; nullopt for an unknown type. Bytes after the known fields are ignored.
/// Fails with damaged if fields are missing, or if a time is out of the range in which sums of times cannot overflow.
Result<std::optional<Record>> decodeRecord(std::uint16_t type, std::string_view fields);

} // namespace ringside
