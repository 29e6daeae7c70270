// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/shownrequest.h"

#include "core/report/choice.h"
#include "core/spec/basecase.h"

namespace ringside::cli {

Result<ShownRequest> requestOf(const MeasuredExperiment& measured, const CompareOptions& options)
{
    const auto asked = report::showFromName(options.show);
    if (!asked)
        return fail(ErrorCode::usage, fmt::format("“{}” cannot be shown.", options.show),
                    "Use throughput, speedup, efficiency or phases; figure has timeline, too.");
    ShownRequest request;
    request.compare.show = *asked;
    request.compare.experiment = measured.experiment;
    request.compare.leaveOutDisturbed = options.leaveOutDisturbed;
    request.compare.keepNan = options.keepNan;
    TRY_ASSIGN(request.compare.leftOut, report::levelsLeftOut(options.leftOut, measured.experiment, measured.runs));
    if (!options.base.empty()) {
        TRY_ASSIGN(request.compare.base, spec::parseRule(options.base, measured.experiment));
    }
    request.layout = options.layout;
    return request;
}

Result<Shown> shownOf(const store::Database& db, const MeasuredExperiment& measured, const ShownRequest& request)
{
    TRY_ASSIGN(Shown shown, computeShown(db, measured, request));
    if (shown.refusal)
        return tl::unexpected(*std::move(shown.refusal));
    TRY(report::checkLayout(request.layout, shown.comparison));
    return shown;
}

} // namespace ringside::cli
