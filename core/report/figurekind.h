// SPDX-License-Identifier: MIT
// A kind of figure of an experiment. kinds/ has them all. Immutable; any thread.
#pragma once

#include "core/report/analysis.h"
#include "core/store/database.h"

#include <string_view>

namespace ringside::report {

class FigureKind
{
public:
    /// `name` as command lines, files and JSON have it: "speedup". `title`, marked for translation, is that of its
    /// button: "Speed-up".
    constexpr FigureKind(std::string_view name, const char* title)
        : m_name(name)
        , m_title(title)
    {
    }
    virtual ~FigureKind() = default;
    FigureKind(const FigureKind&) = delete;
    FigureKind& operator=(const FigureKind&) = delete;

    std::string_view name() const { return m_name; }
    const char* title() const { return m_title; }

    /// Ratios to a base case, without which there is no figure.
    virtual bool isRatio() const { return false; }
    /// One iteration of one run, which the user may choose, in place of a comparison.
    virtual bool isOfOneRun() const { return false; }
    /// Series of points along a factor, each in a colour of its own; the user may choose the factor and the colours.
    virtual bool hasSeries() const { return false; }

    /// Fails where it cannot show these runs, with the reason. For report::analyse(), which calls it (analyse.h).
    virtual Result<Analysis> analyse(const store::Database& db, const MeasuredExperiment& measured,
                                     const AnalysisRequest& request) const = 0;

private:
    std::string_view m_name;
    const char* m_title;
};

} // namespace ringside::report
