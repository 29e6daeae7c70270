// SPDX-License-Identifier: MIT
// Throughput over that of the base case.
#include "core/base/words.h"
#include "core/report/basechecks.h"
#include "core/report/kinds/kinds.h"
#include "core/report/kinds/pointkind.h"

namespace ringside::report {
namespace {

class Speedup : public RatioKind
{
public:
    constexpr Speedup()
        : RatioKind("speedup", Words::noop("Speed-up"), &Group::speedup, "Speed-up", 1)
    {
    }

    Result<void> check(const Comparison& comparison, const spec::Experiment& experiment) const override
    {
        return checkBase(
            comparison, experiment,
            Words::tr("“{}” names no base case: speed-up is a ratio to something.", comparison.experiment));
    }

protected:
    void finish(const Comparison&, const Layout& layout, Points& points) const override
    {
        points.y.log2 = points.x.log2 && layout.x == "ranks"; // along which it grows
        points.y.title = points.y.log2 ? "Speed-up (ratio, log scale)" : "Speed-up (ratio)";
        points.suffix = "×";
    }
    Points::Ideal idealOf(const Comparison& comparison, const std::vector<const Group*>& groups) const override
    {
        return !comparison.where.contains("engine") && areAllRanksAlike(comparison, groups)
                   ? Points::Ideal::proportional
                   : Points::Ideal::none;
    }
};

constinit const Speedup speedup;

} // namespace

const ComparedKind& kSpeedup = speedup;

} // namespace ringside::report
