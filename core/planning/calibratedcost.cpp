// SPDX-License-Identifier: MIT
#include "core/planning/calibratedcost.h"

#include "core/jobs/programs/table.h"
#include "core/spec/calibration.h"

#include <algorithm>

namespace ringside {

namespace {

bool hasShapeOf(const RunSpec& run, const Calibration& calibration)
{
    return calibration.ranks == run.ranks() && calibration.nodes == run.nodes() &&
           calibration.coresPerRank == integerOf(run.settings, "cores_per_rank").value_or(1) &&
           calibration.means == meansOf(run.settings);
}

/// The link among all its ranks, whatever its name there.
const LinkCost* allReduceOf(const Calibration& calibration)
{
    const LinkLevel level = calibration.nodes == 1                   ? LinkLevel::node
                            : calibration.nodes == calibration.ranks ? LinkLevel::nodes
                                                                     : LinkLevel::all;
    return calibration.link(level, LinkOperation::allReduce);
}

} // namespace

bool wantsCalibration(const RunSpec& run)
{
    return run.plan.mergesLayers() && run.plan.collective == Collective::allreduce &&
           run.plan.compression == Compression::none && run.ranks() > 1 && jobs::programOf(run.settings).trains();
}

std::optional<CalibratedCost> costFor(const RunSpec& run, const std::vector<store::SiteCalibration>& known)
{
    if (!wantsCalibration(run))
        return std::nullopt;
    const auto found = std::ranges::find_if(known, [&](const store::SiteCalibration& each) {
        return hasShapeOf(run, each.calibration) && !each.isDisturbed() && !each.isImported();
    });
    if (found == known.end())
        return std::nullopt;
    const LinkCost* link = allReduceOf(found->calibration);
    if (!link || link->ranks != run.ranks() || link->segments.empty())
        return std::nullopt;
    return CalibratedCost{found->run, found->endedAt, found->transport, link->segments};
}

} // namespace ringside
