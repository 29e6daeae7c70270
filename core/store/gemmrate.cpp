// SPDX-License-Identifier: MIT
#include "core/store/gemmrate.h"

#include <algorithm>

namespace ringside::store {

namespace {

std::int64_t countIn(const Settings& settings, std::string_view key)
{
    return integerOf(settings, key).value_or(1);
}

double gpuRate(const GpuRates& gpu, bool inBf16, const Settings& run)
{
    const bool withTf32 = textOf(run, "tf32").value_or("off") == "on";
    return (inBf16 ? gpu.bf16Flops : withTf32 ? gpu.tf32Flops : gpu.fp32Flops).median;
}

/// Rate of one rank, on the device and in the numbers of the run; 0: not measured.
double rateOfRank(const Calibration& calibration, const Settings& run)
{
    const bool inBf16 = textOf(run, "precision").value_or("fp32") == "bf16";
    if (meansOf(run).withGpu())
        return calibration.gpu ? gpuRate(*calibration.gpu, inBf16, run) : 0;
    return inBf16 ? 0 : calibration.gemmFlops.median;
}

bool isOfShape(const Calibration& calibration, const Settings& run)
{
    return calibration.ranks == countIn(run, "ranks") && calibration.nodes == countIn(run, "nodes") &&
           calibration.coresPerRank == countIn(run, "cores_per_rank");
}

} // namespace

std::optional<double> gemmRate(const Settings& run, const std::vector<SiteCalibration>& known)
{
    const auto found = std::ranges::find_if(known, [&](const auto& each) {
        return isOfShape(each.calibration, run) && !each.isDisturbed() && !each.isImported() &&
               rateOfRank(each.calibration, run) > 0;
    });
    if (found == known.end())
        return std::nullopt;
    return rateOfRank(found->calibration, run) * found->calibration.ranks;
}

Result<std::optional<double>> gemmRate(const Database& db, const RunRow& run)
{
    TRY_ASSIGN(const auto known, calibrations(db, run.site));
    return gemmRate(run.settings, known);
}

} // namespace ringside::store
