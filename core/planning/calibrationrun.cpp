// SPDX-License-Identifier: MIT
#include "core/planning/calibrationrun.h"

#include "core/base/words.h"
#include "core/campaign/missing.h"
#include "core/protocol/calibration.h"

#include <algorithm>

namespace ringside {

namespace {

bool isLaunchedAgain(const store::RunRow& run)
{
    campaign::KnownRun stored;
    stored.state = run.state;
    stored.cause = run.cause;
    stored.inCampaign = run.inCampaign;
    return campaign::isMissing(stored, false);
}

bool trains(const store::RunRow& run)
{
    return run.kind != RunKind::imported && textOf(run.settings, "engine") != kCalibrationEngine;
}

} // namespace

Result<CalibrationRun> nextCalibration(const std::string& site, const spec::CalibrationShape& shape,
                                       std::span<const store::RunRow> runs)
{
    if (std::ranges::any_of(runs, trains))
        return fail(ErrorCode::usage,
                    Words::tr("“{}” is an experiment that trains, which a calibration of this site would replace.",
                              spec::calibrationName(site)),
                    Words::tr("Launch it under another name, and delete it under this one."));
    int most = 0, again = 0; // repeats
    for (const store::RunRow& run : runs) {
        if (run.site != site || run.kind == RunKind::imported || !spec::hasShape(run.settings, shape))
            continue;
        most = std::max(most, run.repeat);
        if (isLaunchedAgain(run))
            again = std::max(again, run.repeat);
    }
    const int repeat = again > 0 ? again : most + 1;
    return CalibrationRun{spec::calibrationExperiment(site, shape, std::max(most, repeat)), repeat};
}

const store::RunRow* unfinishedCalibration(const std::string& site, std::span<const store::RunRow> runs)
{
    const auto found =
        std::ranges::find_if(runs, [&](const store::RunRow& run) { return run.site == site && run.inCampaign; });
    return found == runs.end() ? nullptr : &*found;
}

} // namespace ringside
