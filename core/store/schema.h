// SPDX-License-Identifier: MIT
// The database's tables, as numbered migrations. STORE.md explains each table and column.
#pragma once

#include <cstdint>
#include <span>

namespace ringside::store {

/// `PRAGMA application_id`: "Ring".
inline constexpr std::int32_t kApplicationId = 0x52696E67;

/// SQL that leads from schema i to schema i + 1; the first one makes an empty file a store. Forward only: a migration
/// that was released is never changed; but a view is made only by the last one that says how it is.
std::span<const char* const> migrations();

/// The schema that this version reads and writes: how many migrations there are.
int currentSchema();

} // namespace ringside::store
