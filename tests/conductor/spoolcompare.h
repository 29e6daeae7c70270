// SPDX-License-Identifier: MIT
// The spool is the truth: whether the database holds exactly what the files of a site hold.
#pragma once

#include "core/base/files.h"

namespace ringside::test {

/// Checks, sample by sample, that nothing is lost, doubled or made up. Returns how many samples there are.
std::size_t requireStoreEqualsSpools(const fs::path& store, const fs::path& root);

} // namespace ringside::test
