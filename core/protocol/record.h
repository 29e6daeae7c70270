// SPDX-License-Identifier: MIT
// Records of a spool to bytes and back. Layout in PROTOCOL.md.
#pragma once

#include "core/base/error.h"
#include "core/protocol/sample.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ringside {

/// Stands in a spool for all numbers of items from this on: the field has 32 bits in all versions. A sample that has so
/// many is refused where the spool is read (plausible.h).
inline constexpr std::uint64_t kTooManyItems = UINT32_MAX;

/// Appends u16 type, u32 length and the fields of the record. Items above kTooManyItems become that many.
void appendRecord(std::string& out, const Record& record);

/// Reads records that lie one behind the other. Skips those of an unknown type, and ignores bytes after known fields.
/// Fails with damaged if fields are missing, or if a time is out of the range in which sums of times cannot overflow;
/// those before are told.
Result<void> decodeRecords(std::string_view bytes, const std::function<void(const Record&)>& onRecord);

} // namespace ringside
