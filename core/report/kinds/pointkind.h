// SPDX-License-Identifier: MIT
// Kinds whose figure is points with intervals along a factor.
#pragma once

#include "core/report/comparedkind.h"

namespace ringside::report {

class PointKind : public ComparedKind
{
public:
    /// `measure` of each group; `quantity` as a caption begins; along y stands `perUnit` times the measure.
    constexpr PointKind(std::string_view name, const char* title, Measure Group::*measure, std::string_view quantity,
                        double perUnit)
        : ComparedKind(name, title)
        , m_measure(measure)
        , m_quantity(quantity)
        , m_perUnit(perUnit)
    {
    }

    bool hasSeries() const override { return true; }
    Measure measureOf(const Group& group) const override { return group.*m_measure; }
    std::string_view quantity() const override { return m_quantity; }
    void draw(const Comparison& comparison, const Layout& layout, FigureData& figure) const override;
    Table table(const Comparison& comparison, const Layout& layout, const NumberStyle& style) const override;
    std::vector<PrintedPanel> printed(const FigureData& figure) const override;
    std::vector<std::string> keyNotes(const Comparison& drawn) const override;
    std::string marksText(const Comparison& drawn, const FigureData& figure) const override;
    std::string spoken(const Comparison& comparison, const Layout& layout, const FigureData& figure) const override;

protected:
    /// Adds what is particular to it: the y axis, and what depends on the x axis, which is there.
    virtual void finish(const Comparison& comparison, const Layout& layout, Points& points) const = 0;
    /// Returns the ideal of these groups of a panel along ranks.
    virtual Points::Ideal idealOf(const Comparison&, const std::vector<const Group*>&) const
    {
        return Points::Ideal::none;
    }
    /// Describes an error bar, in a key and in a caption: "95 % interval of the median", "rank intervals of the
    /// median".
    virtual std::string_view intervalInKey() const = 0;
    virtual std::string_view intervalInCaption() const = 0;
    /// Describes a point: "medians over independent runs ({})", n in brackets.
    virtual std::string pointInCaption(const std::string& runs) const = 0;

private:
    Point pointOf(const Comparison& comparison, const Group& group, double x) const;
    Points::Panel panelOf(const Comparison& comparison, const Points& points, const Layout& layout,
                          const std::string& title, const std::vector<const Group*>& groups) const;

    Measure Group::*m_measure;
    std::string_view m_quantity;
    double m_perUnit;
};

/// Ratios of medians to a base case; their titles say how the work scales.
class RatioKind : public PointKind
{
public:
    using PointKind::PointKind;

    bool isRatio() const override { return true; }
    std::string_view unitOf(const Comparison&) const override { return "1"; }
    IntervalKind interval() const override;
    std::string titleOf(const Comparison& drawn, const std::string& what) const override;

protected:
    std::string_view intervalInKey() const override { return "95 % interval of the ratio"; }
    std::string_view intervalInCaption() const override { return "bootstrap intervals"; }
    std::string pointInCaption(const std::string& runs) const override;
};

} // namespace ringside::report
