// SPDX-License-Identifier: MIT
// Inside core/report: the base case of every group, and the ratios to it.
#pragma once

#include "core/report/comparison.h"
#include "core/stats/ratio.h"

namespace ringside::report {

/// Returns whether the ratio of ranks is that of what computes: both run on the same kind of device, and ranks on CPUs
/// have as many cores, as far as both tell.
bool areRanksAlike(const Settings& one, const Settings& other);

Measure measureFrom(const stats::Estimate& estimate);

/// For the groups of one experiment, with all their runs and without the disturbed ones: what both have in common is
/// computed once.
class Bases
{
public:
    /// `experiment` must outlive this. Without a rule there are no bases.
    Bases(const spec::Experiment& experiment, const Settings& where);

    /// Sets the fields that a base case decides: base, isBase, several, differs, speedup and efficiency. Among several
    /// base cases it is the closest one (spec::closestBases); none if several are as close. Returns
    /// the cases, each once, in the order of the groups. When called again, groups without disturbed runs must be as
    /// this left them.
    std::vector<BaseCase> find(std::vector<Group>& groups);

    /// Resets the groups as if there were no rule.
    static void forget(std::vector<Group>& groups);

private:
    /// Base cases known for one group, as indices of groups.
    struct Known
    {
        std::vector<std::size_t> bases;  ///< among those that were looked at; the group alone if it is its own
        std::size_t looked = 0;          ///< all before it were
        std::optional<std::size_t> last; ///< found the last time
    };

    std::optional<std::size_t> firstOf(const std::vector<Group>& groups, std::size_t of, Known& known) const;
    std::optional<std::size_t> baseOf(std::vector<Group>& groups, std::size_t of, Known& known) const;

    const spec::Experiment& m_experiment;
    spec::BaseCase m_rule;
    Settings m_where; ///< the rule as it was asked for; empty: there is none
    bool m_isOpen = false; ///< a group may have several base cases of its own engine
    std::vector<Known> m_known;
};

} // namespace ringside::report
