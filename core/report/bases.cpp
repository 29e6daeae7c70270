// SPDX-License-Identifier: MIT
#include "core/report/bases.h"

#include "core/base/sequences.h"
#include "core/report/imported.h"
#include "core/report/software.h"
#include "core/spec/resolve.h"
#include "core/spec/systems.h"

#include <algorithm>
#include <functional>

namespace ringside::report {
namespace {

double ranksOf(const Group& group)
{
    return numberOf(group.settings, "ranks").value_or(1);
}

spec::Differences differencesOf(const spec::Experiment& experiment, const Group& base, const Group& group)
{
    spec::Differences differs = settingsThatDiffer(experiment, base, group);
    differs.merge(factsThatDiffer(base, group));
    return differs;
}

bool isSameEngine(const Settings& one, const Settings& other)
{
    return spec::systemOf(one) == spec::systemOf(other);
}

void computeRatios(Group& group, const Group& base)
{
    if (group.rates.empty())
        return;
    if (group.isBase) {
        group.speedup.value = 1;
        return;
    }
    const stats::Ratio ratio = stats::ratioOfMedians(group.rates, base.rates);
    group.speedup = measureFrom(ratio);
    if (!areRanksAlike(group.settings, base.settings))
        return; // it says nothing of parallel work
    if (ranksOf(group) != ranksOf(base))
        group.efficiency = measureFrom(stats::dividedBy(ratio, ranksOf(group) / ranksOf(base)));
    if (group.used.nodes && base.used.nodes && group.used.nodes != base.used.nodes)
        group.efficiencyPerNode = measureFrom(
            stats::dividedBy(ratio, static_cast<double>(group.used.nodes) / static_cast<double>(base.used.nodes)));
}

/// A base case is its own 100 % only where something has an efficiency against it, or its rule is about ranks.
void setOwnEfficiency(std::vector<Group>& groups, const Settings& where)
{
    std::set<std::size_t> against;
    for (const Group& group : groups)
        if (!group.isBase && group.base && group.efficiency.value)
            against.insert(*group.base);
    for (Group& group : groups)
        if (group.isBase && group.speedup.value)
            group.efficiency.value =
                where.contains("ranks") || against.contains(*group.base) ? std::optional(1.0) : std::nullopt;
}

void forgetBase(Group& group)
{
    group.base.reset();
    group.isBase = false;
    group.differs.clear();
    group.speedup = group.efficiency = group.efficiencyPerNode = {};
}

} // namespace

bool areRanksAlike(const Settings& one, const Settings& other)
{
    const auto device = textOf(one, "device"), otherDevice = textOf(other, "device");
    if (device && otherDevice && *device != *otherDevice)
        return false;
    const auto coresOf = [](const Settings& settings) {
        const bool onCpu = textOf(settings, "device").value_or("cpu") == "cpu";
        return onCpu ? integerOf(settings, "cores_per_rank") : std::nullopt;
    };
    const auto here = coresOf(one), there = coresOf(other);
    return !here || !there || *here == *there;
}

Measure measureFrom(const stats::Estimate& estimate)
{
    Measure measure{estimate.value, std::nullopt, std::nullopt};
    if (estimate.interval) {
        measure.low = estimate.interval->low;
        measure.high = estimate.interval->high;
    }
    return measure;
}

Bases::Bases(const spec::Experiment& experiment, const Settings& where)
    : m_experiment(experiment)
    , m_rule(spec::baseCase(experiment, where))
    , m_where(where)
{
}

/// Engines know different settings, so that several cells of another one may be its base cases, with runs or yet
/// without: all of them are looked for. So are those of its own engine where the rule leaves open which it is.
std::optional<std::size_t> Bases::firstOf(const std::vector<Group>& groups, std::size_t of, Known& known) const
{
    const Settings& settings = groups[of].settings;
    if (known.looked == 0 && spec::isBaseOf(settings, settings, m_rule)) {
        known.bases = {of};
        known.looked = groups.size();
    }
    const auto mayBeSeveral = [&](std::size_t at) { return m_isOpen || !isSameEngine(groups[at].settings, settings); };
    const auto isFound = [&](std::size_t at) { return groups[at].n() > 0 && !mayBeSeveral(at); };
    for (;;) {
        if (const auto found = std::ranges::find_if(known.bases, isFound); found != known.bases.end())
            return *found;
        if (known.looked == groups.size())
            return known.bases.empty() ? std::nullopt : std::optional(known.bases.front());
        const std::size_t at = known.looked++;
        const Group& candidate = groups[at];
        const bool mayCount = candidate.n() > 0 || candidate.disturbed > 0 || mayBeSeveral(at);
        if (mayCount && itemsOf(candidate.settings) == itemsOf(settings) &&
            spec::isBaseOf(candidate.settings, settings, m_rule))
            known.bases.push_back(at);
    }
}

std::optional<std::size_t> Bases::baseOf(std::vector<Group>& groups, std::size_t of, Known& known) const
{
    const auto first = firstOf(groups, of, known);
    Group& group = groups[of];
    group.several.clear();
    if (!first)
        return std::nullopt;
    const bool isOwnEngine = isSameEngine(groups[*first].settings, group.settings);
    if (isOwnEngine && !m_isOpen)
        return groups[*first].n() > 0 ? first : std::nullopt;
    std::vector<std::size_t> bases = known.bases;
    std::ranges::stable_partition(bases, [&](std::size_t at) { return groups[at].n() > 0; });
    const auto settingsOf = [&](std::size_t at) { return groups[at].settings; };
    std::vector<std::size_t> closest = mapped(spec::closestBases(mapped(bases, settingsOf), group.settings, m_rule),
                                              [&](std::size_t at) { return bases[at]; });
    std::ranges::sort(closest);
    if (closest.size() > 1 && !isOwnEngine)
        group.several = mapped(closest, settingsOf);
    return closest.size() == 1 && groups[closest.front()].n() > 0 ? std::optional(closest.front()) : std::nullopt;
}

void Bases::forget(std::vector<Group>& groups)
{
    std::ranges::for_each(groups, forgetBase);
}

std::vector<BaseCase> Bases::find(std::vector<Group>& groups)
{
    std::vector<BaseCase> cases;
    if (m_where.empty())
        return cases;
    m_known.resize(groups.size());
    m_isOpen = !m_rule.open.empty() || std::ranges::any_of(groups, isImported);
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
    setOwnEfficiency(groups, m_where);
    return cases;
}

} // namespace ringside::report
