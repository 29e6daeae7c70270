// SPDX-License-Identifier: MIT
// States what would be lost with experiments, in the words of every program that asks before it deletes them.
#pragma once

#include "core/store/database.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace ringside {

/// Every run of the experiments, trials and cells that left the matrix included.
struct Stock
{
    int runs = 0;
    std::uint64_t bytes = 0; ///< of their samples in the database, about
};

/// Blocking. Covers what was counted until `stop` was requested.
Result<Stock> stockOf(const store::Database& db, const std::vector<std::string>& experiments,
                      const std::stop_token& stop = {});

/// "12 runs and their samples (about 1.2 MB) would be deleted for good. Archived, they leave the list and can be taken
/// back."
std::string lossText(const Stock& stock);

} // namespace ringside
