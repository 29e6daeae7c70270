// SPDX-License-Identifier: MIT
// Speed-up over the ratio of ranks.
#include "core/base/words.h"
#include "core/report/basechecks.h"
#include "core/report/kinds/kinds.h"
#include "core/report/kinds/pointkind.h"

namespace ringside::report {
namespace {

class Efficiency : public RatioKind
{
public:
    constexpr Efficiency()
        : RatioKind("efficiency", Words::noop("Efficiency"), &Group::efficiency, "Parallel efficiency", 100)
    {
    }

    Result<void> check(const Comparison& comparison, const spec::Experiment& experiment) const override
    {
        TRY(checkBase(
            comparison, experiment,
            Words::tr("“{}” names no base case: efficiency is a ratio to something.", comparison.experiment)));
        TRY(checkOtherRanks(comparison));
        return checkAlikeRanks(comparison);
    }

protected:
    void finish(const Comparison&, const Layout&, Points& points) const override
    {
        points.y.title = "Efficiency (%)";
        points.suffix = std::string(kThinSpace) + "%";
    }
    Points::Ideal idealOf(const Comparison&, const std::vector<const Group*>&) const override
    {
        return Points::Ideal::constant;
    }
    std::string pointInCaption(const std::string& runs) const override
    {
        return RatioKind::pointInCaption(runs) + " over the ratio of ranks";
    }
};

constinit const Efficiency efficiency;

} // namespace

const ComparedKind& kEfficiency = efficiency;

} // namespace ringside::report
