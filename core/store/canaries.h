// SPDX-License-Identifier: MIT
// Canaries of attempts beside those before them, and what calibrations of a site found.
#pragma once

#include "core/protocol/calibration.h"
#include "core/store/database.h"
#include "core/store/flagreasons.h"

#include <string>
#include <vector>

namespace ringside::store {

struct RankCanary
{
    int rank = 0;
    Canary canary;
};

/// Flag disturbed: a canary beyond stats::usualLimits() of what the same one read in the last 100 attempts of the site,
/// by as many ranks on as many nodes, that were done before this one began; an all-reduce only of those over the same
/// network: device, interface, backend and transport. Throws what SQLiteCpp throws.
void addUnusualCanaries(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt);

/// By rank; the one before comes first.
Result<std::vector<RankCanary>> canaries(const Database& db, const RunId& run, int attempt);

/// Calibrations of a site, newest first: the latest of each shape (ranks, nodes, cores per rank) and means, and where
/// that was disturbed, the latest that was not, too. Behind them, the latest 100 that were imported, whatever their
/// shape.
struct SiteCalibration
{
    int run = 0;                    ///< its number
    std::int64_t endedAt = 0;       ///< wall clock, ns
    std::string transport;          ///< by which its ranks spoke
    std::vector<std::string> flags; ///< of its attempt
    Calibration calibration;
    std::string importedFrom = {}; ///< the program that printed it: "nccl-tests"; empty: it was measured by Ringside

    /// Read from another program's table: shown, and never in place of one of its own.
    bool isImported() const { return !importedFrom.empty(); }
    bool isDisturbed() const; ///< says nothing of what the site can do, and is worth repeating
};
Result<std::vector<SiteCalibration>> calibrations(const Database& db, const std::string& site);

} // namespace ringside::store
