// SPDX-License-Identifier: MIT
#include "core/report/bases.h"

#include "core/base/sequences.h"
#include "core/spec/resolve.h"
#include "core/stats/ratio.h"

#include <algorithm>

namespace ringside::report {
namespace {

Measure measureFrom(const stats::Ratio& ratio)
{
    Measure measure{ratio.value, std::nullopt, std::nullopt};
    if (ratio.interval) {
        measure.low = ratio.interval->low;
        measure.high = ratio.interval->high;
    }
    return measure;
}

double ranksOf(const Group& group)
{
    return numberOf(group.settings, "ranks").value_or(1);
}

using FactValues = std::map<std::string, std::set<std::string>>;

Value factText(const FactValues& facts, const std::string& name)
{
    const auto values = facts.find(name);
    return values == facts.end() ? std::string() : joined(values->second, " and ");
}

/// A single rank has no network.
bool isComparable(const std::string& name, const Value& base, const Value& group)
{
    const Value none = std::string(), single = std::string("single");
    return base != none && group != none && (name != "network" || (base != single && group != single));
}

spec::Differences differencesOf(const spec::Experiment& experiment, const Group& base, const Group& group)
{
    spec::Differences differs = spec::undeclaredDifferences(experiment, base.settings, group.settings);
    for (const auto& [name, values] : group.facts) {
        const Value had = factText(base.facts, name), has = factText(group.facts, name);
        if (had != has && isComparable(name, had, has))
            differs.emplace(name, std::pair(had, has));
    }
    return differs;
}

void computeRatios(Group& group, const Group& base)
{
    if (group.rates.empty())
        return;
    if (group.isBase) {
        group.speedup.value = group.efficiency.value = 1;
        return;
    }
    const stats::Ratio ratio = stats::ratioOfMedians(group.rates, base.rates);
    group.speedup = measureFrom(ratio);
    if (ranksOf(group) != ranksOf(base)) // else it says nothing of parallel work
        group.efficiency = measureFrom(stats::dividedBy(ratio, ranksOf(group) / ranksOf(base)));
}

void forgetBase(Group& group)
{
    group.base.reset();
    group.isBase = false;
    group.differs.clear();
    group.speedup = group.efficiency = {};
}

} // namespace

Bases::Bases(const spec::Experiment& experiment, const Settings& where)
    : m_experiment(experiment)
    , m_rule(spec::baseCase(experiment, where))
    , m_hasRule(!where.empty())
{
}

std::optional<std::size_t> Bases::baseOf(const std::vector<Group>& groups, std::size_t of, Known& known) const
{
    const auto hasRuns = [&](std::size_t at) { return groups[at].n() > 0; };
    if (const auto found = std::ranges::find_if(known.bases, hasRuns); found != known.bases.end())
        return *found;
    while (known.looked < groups.size()) {
        const std::size_t at = known.looked++;
        const Group& candidate = groups[at];
        const bool mayHaveRuns = candidate.n() > 0 || candidate.disturbed > 0;
        if (!mayHaveRuns || itemsOf(candidate.settings) != itemsOf(groups[of].settings) ||
            !spec::isBaseOf(candidate.settings, groups[of].settings, m_rule))
            continue;
        known.bases.push_back(at);
        if (hasRuns(at))
            return at;
    }
    return std::nullopt;
}

void Bases::forget(std::vector<Group>& groups)
{
    std::ranges::for_each(groups, forgetBase);
}

std::vector<BaseCase> Bases::find(std::vector<Group>& groups)
{
    std::vector<BaseCase> cases;
    if (!m_hasRule)
        return cases;
    m_known.resize(groups.size());
    std::map<std::size_t, std::size_t> indices;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        Group& group = groups[i];
        const std::optional<std::size_t> at = baseOf(groups, i, m_known[i]);
        const bool isSame =
            std::exchange(m_known[i].last, at) == at && at && group.disturbed == 0 && groups[*at].disturbed == 0;
        if (!isSame)
            forgetBase(group);
        if (!at)
            continue;
        const Group& base = groups[*at];
        const auto [index, isNew] = indices.emplace(*at, cases.size());
        if (isNew)
            cases.push_back({base.settings, base.n(), base.throughput, base.facts});
        group.base = index->second;
        if (isSame)
            continue;
        group.isBase = *at == i;
        group.differs = differencesOf(m_experiment, base, group);
        computeRatios(group, base);
    }
    return cases;
}

} // namespace ringside::report
