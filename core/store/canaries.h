// SPDX-License-Identifier: MIT
// Canaries of attempts beside those of the calibration of their site.
#pragma once

#include "core/protocol/calibration.h"
#include "core/store/database.h"

#include <string>
#include <vector>

namespace SQLite {
class Database;
}

namespace ringside::store {

struct RankCanary
{
    int rank = 0;
    Canary canary;
};

/// What of a canary is off by more than stats::kCalibrationLimit.
struct OffCalibration
{
    int rank = 0;
    bool after = false;       ///< after the last iteration, or before the first
    bool reading = false;     ///< from the disk, or all-reducing
    double change = 0;        ///< of the rate: -0.2 is a fifth slower
    int calibrationRun = 0;   ///< number of the run it is held against
    std::string text() const; ///< a sentence in the user's language
};

/// Held against the latest calibration of the site by as many ranks on as many nodes that ended before the attempt
/// began, an undisturbed one if there is one, rank by rank, and there against the mean of before and after;
/// all-reducing only against one over the same network: interface, backend and transport. Empty where there is none,
/// and for calibrations. Throws what SQLiteCpp throws.
std::vector<OffCalibration> offCalibration(SQLite::Database& db, std::int64_t attempt);

/// By rank; the one before comes first.
Result<std::vector<RankCanary>> canaries(const Database& db, const RunId& run, int attempt);

/// What is known of a site, newest first: the latest of each shape (ranks, nodes, cores per rank) and means, and where
/// that was disturbed, the latest that was not, too.
struct SiteCalibration
{
    int run = 0;                    ///< its number
    std::int64_t endedAt = 0;       ///< wall clock, ns
    std::string transport;          ///< by which its ranks spoke
    std::vector<std::string> flags; ///< of its attempt
    Calibration calibration;

    bool isDisturbed() const; ///< says nothing of what the site can do, and is worth repeating
};
Result<std::vector<SiteCalibration>> calibrations(const Database& db, const std::string& site);

} // namespace ringside::store
