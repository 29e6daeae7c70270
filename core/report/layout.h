// SPDX-License-Identifier: MIT
// Deals the groups of a comparison to panels, series and places along x. Used by figure, words and table.
#pragma once

#include "core/report/figure.h"

namespace ringside::report {

/// A complete request: which factors go where; `rest` are those joined to the series.
struct Layout
{
    std::string x, series, panels;
    std::vector<std::string> rest;
    std::vector<int> coloured = {}; ///< seriesPlace() of those in colour; empty: all are, each in that of its place
    /// seriesPlace() of those that collapsed, in the order of their shapes; empty: the place is the shape.
    std::vector<int> neutral = {};

    /// `series` and `rest`, as far as there are any.
    std::vector<std::string> seriesKeys() const;
};

/// Fields that `request` leaves empty are filled; factors that do not vary are dropped.
Layout layoutFor(const Comparison& comparison, const FigureRequest& request);

const spec::Factor* varied(const Comparison& comparison, std::string_view key);

/// The group's level of a factor; nullptr if it has none.
const Value* levelOf(const Group& group, std::string_view key);

/// Returns a factor's name where all groups are meant: ranks are GPUs or CPU ranks if all are, else "Ranks".
std::string factorTitle(const Comparison& comparison, std::string_view key);

/// Stands behind the name of a plan that is no exact one, or of a system or an option of its that makes it so: its
/// caveat is in the key and the caption (marks.h).
inline constexpr std::string_view kCaveat = "†";
/// The label of a group's level, with that caveat.
std::string markedLabel(const Group& group, std::string_view key);

/// Place of the group's level among placedLevels(); -1 if it has none, or it collapsed (plan "none" on one rank).
int placeOf(const Comparison& comparison, const Group& group, std::string_view key);

/// The levels of a factor that varies, as declared; behind the plans, where a group has it, the own way of a system.
std::vector<Value> placedLevels(const Comparison& comparison, std::string_view key);

/// These factors in the order in which the experiment declares them, so that a cell reads the same everywhere.
std::vector<std::string> asDeclared(const Comparison& comparison, const std::vector<std::string>& keys);

/// "buckets · batch per rank 8 images": the levels of these factors, as declared, numbers with their names; "1 CPU
/// rank" if one of them collapsed; "without layout" or "precision not told" if it has none of them.
std::string labelFor(const Comparison& comparison, const Group& group, const std::vector<std::string>& keys);

/// "buckets · 8": the same where a title names the factors, in their order.
std::string bareLabelFor(const Comparison& comparison, const Group& group, const std::vector<std::string>& keys);

/// "Ringside · mxnet": the same of a configuration of another engine that a group is set against.
std::string engineAndPlan(const Comparison& comparison, const Settings& settings);

/// True if a factor of `keys` collapsed in this group: on one rank a plan is "none", and an option that needs more is
/// absent.
bool isCollapsed(const Comparison& comparison, const Group& group, const std::vector<std::string>& keys);

/// The place of its level in the experiment, counted over all joined factors.
int seriesPlace(const Comparison& comparison, const Group& group, const Layout& layout);

/// The place of its series, so that it stays when others are left out. Where there are more series than colours (of
/// those that collapsed: than shapes), the index among those that have one; kSeriesColours for the rest.
int styleOf(const Comparison& comparison, const Group& group, const Layout& layout);

/// True if all levels of the factor are numbers, so that points along it may be joined.
bool isCount(const Comparison& comparison, std::string_view key);

/// The groups of one panel, in the order of the panel factor's levels; one nameless panel without such a factor.
struct PanelGroups
{
    std::string title;
    std::vector<const Group*> groups;
};
std::vector<PanelGroups> dealToPanels(const Comparison& comparison, const Layout& layout);

} // namespace ringside::report
