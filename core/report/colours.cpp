// SPDX-License-Identifier: MIT
#include "core/report/colours.h"

#include "core/base/sequences.h"
#include "core/report/comparedkind.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ringside::report {
namespace {

/// Values that decide which series are in colour.
struct Candidate
{
    int place = 0;
    bool isWished = false;
    bool isBase = false;
    double share = 0; ///< sum over cells of its value over the best value there

    auto priority() const { return std::tuple(!isBase, -share, place); }
};

std::string withoutCaveats(std::string name)
{
    for (auto at = name.find(kCaveat); at != std::string::npos; at = name.find(kCaveat))
        name.erase(at, kCaveat.size());
    return name;
}

/// A caveat need not be typed.
bool isAmong(const std::vector<std::string>& names, const std::string& label)
{
    return std::ranges::any_of(names,
                               [&](const std::string& name) { return withoutCaveats(name) == withoutCaveats(label); });
}

/// A panel and a place along x: where series are held against each other.
std::pair<int, std::string> cellOf(const Comparison& comparison, const Layout& layout, const Group& group)
{
    const Value* x = levelOf(group, layout.x);
    return {layout.panels.empty() ? 0 : placeOf(comparison, group, layout.panels), x ? toText(*x) : std::string()};
}

/// Groups that are points of a series of its own colour.
std::vector<const Group*> seriesGroups(const Comparison& comparison, const Layout& layout)
{
    std::vector<const Group*> groups;
    for (const Group& group : comparison.groups)
        if (comparison.kind->measureOf(group).value && !isCollapsed(comparison, group, layout.seriesKeys()))
            groups.push_back(&group);
    return groups;
}

std::vector<Candidate> candidatesOf(const Comparison& comparison, const Layout& layout,
                                    const std::vector<std::string>& wished)
{
    const std::vector<const Group*> groups = seriesGroups(comparison, layout);
    std::map<std::pair<int, std::string>, double> best;
    for (const Group* group : groups) {
        double& most = best[cellOf(comparison, layout, *group)];
        most = std::max(most, *comparison.kind->measureOf(*group).value);
    }
    std::map<int, Candidate> candidates;
    for (const Group* group : groups) {
        const int place = seriesPlace(comparison, *group, layout);
        Candidate& candidate = candidates[place];
        candidate.place = place;
        candidate.isBase |= group->isBase;
        candidate.isWished = isAmong(wished, labelFor(comparison, *group, layout.seriesKeys()));
        if (const double most = best[cellOf(comparison, layout, *group)]; most > 0)
            candidate.share += *comparison.kind->measureOf(*group).value / most;
    }
    std::vector<Candidate> all;
    for (const auto& [place, candidate] : candidates)
        all.push_back(candidate);
    return all;
}

} // namespace

std::vector<std::string> seriesNames(const Comparison& comparison, const Layout& layout)
{
    std::map<int, std::string> names;
    for (const Group* group : seriesGroups(comparison, layout))
        names.emplace(seriesPlace(comparison, *group, layout), labelFor(comparison, *group, layout.seriesKeys()));
    return mapped<std::string>(names, [](const auto& each) { return each.second; });
}

bool isSeries(const std::vector<std::string>& names, const std::string& name)
{
    return isAmong(names, name);
}

std::vector<int> colouredPlaces(const Comparison& comparison, const Layout& layout,
                                const std::vector<std::string>& wished)
{
    std::vector<Candidate> candidates = candidatesOf(comparison, layout, wished);
    if (candidates.empty() || (candidates.size() <= kSeriesColours && candidates.back().place < kSeriesColours))
        return {};
    if (std::ranges::any_of(candidates, &Candidate::isWished))
        std::erase_if(candidates, [](const Candidate& candidate) { return !candidate.isWished; });
    std::ranges::sort(candidates, {}, &Candidate::priority);
    candidates.resize(std::min<std::size_t>(candidates.size(), kSeriesColours));
    std::vector<int> places = mapped(candidates, &Candidate::place);
    std::ranges::sort(places);
    return places;
}

std::vector<int> neutralPlaces(const Comparison& comparison, const Layout& layout)
{
    std::set<int> places;
    for (const Group& group : comparison.groups)
        if (isCollapsed(comparison, group, layout.seriesKeys()))
            places.insert(seriesPlace(comparison, group, layout));
    if (places.empty() || *places.rbegin() < kSeriesColours)
        return {};
    return {places.begin(), places.end()};
}

} // namespace ringside::report
