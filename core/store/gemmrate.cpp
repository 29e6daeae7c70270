// SPDX-License-Identifier: MIT
#include "core/store/gemmrate.h"

#include <algorithm>

namespace ringside::store {

namespace {

std::int64_t countIn(const Settings& settings, std::string_view key)
{
    return integerOf(settings, key).value_or(1);
}

bool isMeasured(const Settings& run)
{
    return textOf(run, "device").value_or("cpu") == "cpu" && textOf(run, "precision").value_or("fp32") == "fp32";
}

bool isOfShape(const Calibration& calibration, const Settings& run)
{
    return calibration.ranks == countIn(run, "ranks") && calibration.nodes == countIn(run, "nodes") &&
           calibration.coresPerRank == countIn(run, "cores_per_rank");
}

} // namespace

std::optional<double> gemmRate(const Settings& run, const std::vector<SiteCalibration>& known)
{
    const auto found = std::ranges::find_if(
        known, [&](const auto& each) { return isOfShape(each.calibration, run) && !each.isDisturbed(); });
    if (!isMeasured(run) || found == known.end() || found->calibration.gemmFlops.median <= 0)
        return std::nullopt;
    return found->calibration.gemmFlops.median * found->calibration.ranks;
}

Result<std::optional<double>> gemmRate(const Database& db, const RunRow& run)
{
    TRY_ASSIGN(const auto known, calibrations(db, run.site));
    return gemmRate(run.factors, known);
}

} // namespace ringside::store
