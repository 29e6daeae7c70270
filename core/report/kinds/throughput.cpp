// SPDX-License-Identifier: MIT
// Items per second: the median over runs.
#include "core/base/sequences.h"
#include "core/base/words.h"
#include "core/report/kinds/kinds.h"
#include "core/report/kinds/pointkind.h"
#include "core/spec/wording.h"
#include "core/stats/interval.h"

namespace ringside::report {
namespace {

class Throughput : public PointKind
{
public:
    constexpr Throughput()
        : PointKind("throughput", Words::noop("Throughput"), &Group::throughput, "Throughput", 1)
    {
    }

    std::string_view unitOf(const Comparison& comparison) const override
    {
        return itemWords(itemsOf(comparison)).perSecond;
    }
    IntervalKind interval() const override { return {"rank interval of the median", stats::kConfidence}; }
    std::string titleOf(const Comparison&, const std::string& what) const override { return "Throughput of " + what; }

    /// Ratios and times are comparable whatever is trained.
    Result<void> check(const Comparison& comparison, const spec::Experiment&) const override
    {
        const std::set<Items> kinds = kindsOfItems(comparison);
        if (kinds.size() <= 1)
            return {};
        const auto wordsOf = [&](const char* ItemWords::*word) {
            return spec::listed(mapped(kinds, [&](Items items) { return Words::translated(itemWords(items).*word); }));
        };
        return fail(ErrorCode::usage,
                    Words::tr("The runs of “{}” count {}: {} are not compared.", comparison.experiment,
                              wordsOf(&ItemWords::items), wordsOf(&ItemWords::perSecond)),
                    Words::tr("Show speed-up, efficiency or phases, or leave out the models or engines of all kinds "
                              "but one."));
    }

protected:
    void finish(const Comparison& comparison, const Layout&, Points& points) const override
    {
        points.y.title = itemWords(itemsOf(comparison)).throughput;
    }
    std::string_view intervalInKey() const override { return "95 % interval of the median"; }
    std::string_view intervalInCaption() const override { return "rank intervals of the median"; }
    std::string pointInCaption(const std::string& runs) const override
    {
        return fmt::format("medians over independent runs ({})", runs);
    }
};

constinit const Throughput throughput;

} // namespace

const ComparedKind& kThroughput = throughput;

} // namespace ringside::report
