// SPDX-License-Identifier: MIT
#include "core/logs/figure.h"

#include "core/base/sequences.h"
#include "core/logs/lanerates.h"
#include "core/logs/measure.h"
#include "core/logs/stampedrate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace ringside::logs {

namespace {

/// Returns whether iterations have a rate that a batch would turn into one of items.
bool needsBatch(const LogLane& lane, const LogSettings& settings)
{
    const auto& records = recordsOf(lane);
    return !batchOf(settings, lane.scope) && std::any_of(records.begin(), records.end(), [](const LogRecord& record) {
        return record.iterationRate && !record.itemRate;
    });
}

/// Returns whether epochs have a time and no count.
bool needsEpochItems(const LogLane& lane, const LogSettings& settings)
{
    const auto& records = recordsOf(lane);
    return !settings.itemsPerEpoch && &records == &lane.epochs &&
           std::any_of(records.begin(), records.end(), [](const LogRecord& record) {
               return record.seconds && !record.itemRate && !record.iterationRate;
           });
}

/// The scope that covers most decides: a line about all ranks needs no sum.
Scope widestScope(const LogRun& run)
{
    Scope widest = Scope::rank;
    for (const LogLane& lane : run.lanes)
        widest = std::max(widest, lane.scope);
    return widest;
}

std::vector<const LogLane*> lanesOf(const LogRun& run, Scope scope)
{
    std::vector<const LogLane*> lanes;
    for (const LogLane& lane : run.lanes)
        if (lane.scope == scope)
            lanes.push_back(&lane);
    return lanes;
}

void count(const LogLane& lane, int warmupRecords, LogFigure& figure)
{
    const auto& records = recordsOf(lane);
    figure.records += records.size();
    figure.leftOut += static_cast<std::uint64_t>(afterWarmup(records, warmupRecords) - records.begin());
    figure.refused += static_cast<std::uint64_t>(
        std::count_if(records.begin(), records.end(), [](const LogRecord& record) { return record.isRefused; }));
    const auto hasLoss = [](const LogRecord& record) { return record.loss.has_value(); };
    for (const LogRecord& record :
         std::any_of(lane.records.begin(), lane.records.end(), hasLoss) ? lane.records : records)
        if (record.loss) {
            figure.firstLoss = figure.firstLoss.value_or(*record.loss);
            figure.lastLoss = record.loss;
            figure.isLossSum |= record.isLossSum;
        }
}

/// Returns the number of lanes that make up all ranks; nothing where the log does not say. Lanes that nothing but the
/// order of lines tells apart may be runs, one behind the other.
std::optional<std::size_t> lanesInAll(const LogRun& run, Scope scope, const std::vector<const LogLane*>& lanes)
{
    if (scope == Scope::all)
        return lanes.size();
    const auto& told = scope == Scope::rank ? run.settings.ranks : run.settings.nodes;
    if (told)
        return static_cast<std::size_t>(*told);
    const bool areNamed = std::ranges::all_of(lanes, [](const LogLane* lane) { return lane->rank.has_value(); });
    return lanes.size() > 1 && areNamed ? std::optional(lanes.size()) : std::nullopt;
}

/// The middle one of lanes about the same ranks, which the others have to agree with.
Printed middleOf(std::vector<Printed> rates)
{
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>((rates.size() - 1) / 2);
    std::ranges::nth_element(rates, middle, {}, &Printed::value);
    return *middle;
}

struct LaneRate
{
    const LogLane* lane;
    Printed rate;
};

std::uint64_t firstLine(const LogLane& lane)
{
    const auto& records = recordsOf(lane);
    return records.empty() ? 0 : records.front().line;
}

/// Lanes that each report the rate of all ranks, and not the same.
void addLanesThatDiffer(const std::vector<LaneRate>& lanes, std::vector<Finding>& findings)
{
    if (lanes.empty())
        return;
    const Printed middle = middleOf(mapped(lanes, &LaneRate::rate));
    for (const auto& [lane, rate] : lanes)
        if (!agree(rate, middle))
            findings.push_back({FindingCode::lanesDiffer, firstLine(*lane), rate.value, middle.value, 1, lane->file});
}

} // namespace

LogFigure figureOf(const LogRun& run, int warmupRecords)
{
    LogFigure figure;
    figure.scope = widestScope(run);
    const auto lanes = lanesOf(run, figure.scope);
    std::vector<LaneRate> rates;
    bool batchMissing = false, epochItemsMissing = false;
    for (const LogLane* lane : lanes) {
        count(*lane, warmupRecords, figure);
        batchMissing |= needsBatch(*lane, run.settings);
        epochItemsMissing |= needsEpochItems(*lane, run.settings);
        if (const auto rate = rateOf(*lane, run.settings, warmupRecords))
            rates.push_back({lane, *rate});
        if (const auto finding = stampContradiction(*lane, run.settings, warmupRecords))
            addFinding(figure.contradictions, *finding, finding->line);
    }
    figure.ranks = run.settings.ranks.value_or(
        figure.scope == Scope::rank && lanes.size() > 1 ? static_cast<std::int64_t>(lanes.size()) : 0);
    if (figure.scope == Scope::all)
        addLanesThatDiffer(rates, figure.contradictions);
    if (!figure.contradictions.empty())
        return figure;
    if (batchMissing)
        figure.missing.emplace_back(figure.scope == Scope::all ? "batch_global" : "batch_per_rank");
    if (epochItemsMissing)
        figure.missing.emplace_back("items_per_epoch");
    const auto inAll = lanesInAll(run, figure.scope, lanes);
    if (!inAll && (!rates.empty() || batchMissing || epochItemsMissing))
        figure.missing.emplace_back(figure.scope == Scope::node ? "nodes" : "ranks");
    if (rates.empty())
        return figure;
    if (figure.scope == Scope::all)
        figure.itemsPerSecond = medianOf(mapped(rates, &LaneRate::rate))->value;
    else if (inAll == rates.size())
        figure.itemsPerSecond = std::accumulate(rates.begin(), rates.end(), 0.0,
                                                [](double sum, const LaneRate& each) { return sum + each.rate.value; });
    else
        figure.perLane = medianOf(mapped(rates, &LaneRate::rate))->value;
    return figure;
}

namespace {

constexpr double kMostIterations = 1u << 30;

std::uint32_t iterationsOf(const LogRecord& record, const KnownOfLane& known)
{
    double count = record.iterations.value_or(0);
    if (!(count >= 1) && record.items && known.batch)
        count = std::round(*record.items / *known.batch);
    return count >= 1 ? static_cast<std::uint32_t>(std::min(count, kMostIterations)) : 1;
}

/// Returns how long the record's work took at its rate; nothing where its work is not known.
std::optional<double> secondsOf(const LogRecord& record, std::uint32_t iterations, double rate,
                                const KnownOfLane& known)
{
    if (record.seconds)
        return record.seconds;
    if (record.items)
        return *record.items / rate;
    if (record.iterationRate)
        return iterations / *record.iterationRate;
    return known.batch ? std::optional(iterations * *known.batch / rate) : std::nullopt;
}

LaneWork workOf(const LogLane& lane, const LogSettings& settings, int warmupRecords)
{
    const KnownOfLane known = knownOf(lane, settings);
    const auto& records = recordsOf(lane);
    const auto steady = afterWarmup(records, warmupRecords);
    const bool areTestsIn = allHoldTests(records, warmupRecords);
    LaneWork work{&lane};
    for (auto record = records.begin(); record != records.end(); ++record) {
        const auto rate = rateOf(*record, known);
        const bool isLeftOut = record->isRefused || (record->holdsTest && !areTestsIn);
        if (isLeftOut || !rate || !(*rate > 0) || !std::isfinite(*rate) || contradiction(*record, known))
            continue;
        const std::uint32_t iterations = iterationsOf(*record, known);
        if (const auto seconds = secondsOf(*record, iterations, *rate, known))
            work.works.push_back({&*record, iterations, *rate * *seconds, *seconds, record < steady});
        else
            ++work.untimed;
    }
    return work;
}

std::uint64_t iterationsOf(const LaneWork& lane)
{
    return std::accumulate(lane.works.begin(), lane.works.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Work& work) { return sum + work.iterations; });
}

/// The fewest and the most that a lane reports, among those that report any; 0 if none does.
std::pair<std::uint64_t, std::uint64_t> fewestAndMost(const std::vector<LaneWork>& lanes)
{
    std::pair<std::uint64_t, std::uint64_t> found{0, 0};
    for (const LaneWork& lane : lanes)
        if (const std::uint64_t told = iterationsOf(lane)) {
            found.first = found.first ? std::min(found.first, told) : told;
            found.second = std::max(found.second, told);
        }
    return found;
}

/// The joint work of ranks is known as far as each of them reports it.
void cut(LaneWork& lane, std::uint64_t iterations)
{
    std::uint64_t sum = 0;
    std::erase_if(lane.works, [&](const Work& work) { return (sum += work.iterations) > iterations; });
}

std::vector<LaneWork> wholeWorkOf(const LogRun& run, Scope scope, int warmupRecords)
{
    std::vector<LaneWork> all;
    for (const LogLane* lane : lanesOf(run, scope))
        all.push_back(workOf(*lane, run.settings, warmupRecords));
    return all;
}

} // namespace

std::vector<LaneWork> workOf(const LogRun& run, const LogFigure& figure, int warmupRecords)
{
    if (!figure.contradictions.empty())
        return {};
    std::vector<LaneWork> all = wholeWorkOf(run, figure.scope, warmupRecords);
    if (figure.scope != Scope::all) {
        const std::uint64_t common = fewestAndMost(all).first;
        std::ranges::for_each(all, [&](LaneWork& lane) { cut(lane, common); });
    }
    if (figure.scope != Scope::all || all.empty())
        return all;
    const auto length = [](const LaneWork& work) { return work.works.size(); };
    return {*std::ranges::max_element(all, {}, length)};
}

namespace {

bool contradicts(double printed, double against)
{
    return !agree(Printed{printed, 0}, Printed{against, 0});
}

/// Returns what a claim of this scope should be; nothing where that cannot be known.
std::optional<double> expectedClaim(const LogRun& run, const LogFigure& figure, Scope scope)
{
    if (!figure.itemsPerSecond)
        return scope == figure.scope ? figure.perLane : std::nullopt;
    if (scope == Scope::all)
        return figure.itemsPerSecond;
    const auto claims = std::count_if(run.claims.begin(), run.claims.end(),
                                      [&](const LogClaim& claim) { return claim.scope == scope && claim.itemRate; });
    const auto parts = scope == Scope::rank ? figure.ranks : run.settings.nodes.value_or(claims);
    return parts > 0 ? std::optional(*figure.itemsPerSecond / static_cast<double>(parts)) : std::nullopt;
}

void addClaimsThatDiffer(const LogRun& run, const LogFigure& figure, std::vector<Finding>& findings)
{
    std::map<Scope, std::optional<double>> expected; // once for each scope: it counts all claims
    for (const LogClaim& claim : run.claims) {
        if (!expected.contains(claim.scope))
            expected[claim.scope] = expectedClaim(run, figure, claim.scope);
        const auto& against = expected[claim.scope];
        if (claim.itemRate && against && contradicts(*claim.itemRate, *against))
            findings.push_back({FindingCode::claimDiffers, claim.line, *claim.itemRate, *against, 1, claim.file});
    }
}

void addContradictions(const LogLane& lane, const LogSettings& settings, std::vector<Finding>& findings)
{
    const KnownOfLane known = knownOf(lane, settings);
    std::vector<Finding> ofLane;
    for (const LogRecord& record : recordsOf(lane))
        if (const auto finding = contradiction(record, known))
            addFinding(ofLane, *finding, record.line);
    for (Finding& finding : ofLane)
        finding.file = lane.file;
    findings.insert(findings.end(), ofLane.begin(), ofLane.end());
}

void addRanksThatEndApart(const LogRun& run, const LogFigure& figure, int warmupRecords, std::vector<Finding>& findings)
{
    const auto isOfScope = [&](const LogLane& lane) { return lane.scope == figure.scope; };
    if (figure.scope == Scope::all || std::ranges::count_if(run.lanes, isOfScope) < 2)
        return;
    const auto lanes = wholeWorkOf(run, figure.scope, warmupRecords);
    const auto [fewest, most] = fewestAndMost(lanes);
    if (!contradicts(static_cast<double>(most), static_cast<double>(fewest)))
        return;
    const auto longest = std::ranges::max_element(lanes, {}, [](const LaneWork& lane) { return iterationsOf(lane); });
    findings.push_back({FindingCode::ranksEndApart, longest->works.back().record->line, static_cast<double>(most),
                        static_cast<double>(fewest), 1, longest->lane->file});
}

void addTestsInside(const LogLane& lane, int warmupRecords, std::vector<Finding>& findings)
{
    const auto& records = recordsOf(lane);
    const auto first = afterWarmup(records, warmupRecords);
    const bool any = std::any_of(first, records.end(),
                                 [](const LogRecord& record) { return record.holdsTest && !record.isRefused; });
    if (any && allHoldTests(records, warmupRecords))
        findings.push_back({FindingCode::testsInside, first->line, 0, 0,
                            static_cast<std::uint64_t>(records.end() - first), lane.file});
}

} // namespace

std::vector<Finding> findingsOf(const LogRun& run, const LogFigure& figure, int warmupRecords)
{
    std::vector<Finding> findings = figure.contradictions;
    addRanksThatEndApart(run, figure, warmupRecords, findings);
    for (const LogLane* lane : lanesOf(run, figure.scope)) {
        addContradictions(*lane, run.settings, findings);
        addTestsInside(*lane, warmupRecords, findings);
    }
    addClaimsThatDiffer(run, figure, findings);
    return findings;
}

} // namespace ringside::logs
