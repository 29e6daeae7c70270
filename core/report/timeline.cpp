// SPDX-License-Identifier: MIT
#include "core/report/timeline.h"

#include "core/base/sequences.h"
#include "core/base/words.h"
#include "core/report/caveats.h"
#include "core/report/conditions.h"
#include "core/report/figurewords.h"
#include "core/report/flagnotes.h"
#include "core/report/names.h"
#include "core/report/numbers.h"
#include "core/spec/schema.h"
#include "core/stats/lateness.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace ringside::report {
namespace {

using store::DetailedIteration;
using store::RankIteration;
using store::RunRow;

constexpr std::size_t kMostNamed = 10;        ///< iterations that an error lists
constexpr std::int64_t kClearlyOutside = 100; ///< part of an iteration that stamps of phases and layers never differ by

double msOf(std::int64_t ns)
{
    return static_cast<double>(ns) / 1e6;
}

/// Beginnings of the ranks, on one clock if there is one.
struct Starts
{
    std::vector<std::int64_t> ns; ///< by place in DetailedIteration::ranks; the first of them is 0
    std::int64_t uncertaintyNs = 0;
    bool haveOneClock = true;
};

std::vector<ClockOffset> clocksOf(const DetailedIteration& iteration, int rank)
{
    std::vector<ClockOffset> clocks;
    for (const store::RankClockOffset& measured : iteration.clocks)
        if (measured.rank == rank)
            clocks.push_back(measured.clock);
    return clocks;
}

Starts startsOf(const DetailedIteration& iteration)
{
    Starts starts;
    for (const RankIteration& rank : iteration.ranks) {
        const auto moment = stats::momentOf(rank.sample.startNs, clocksOf(iteration, rank.rank));
        starts.haveOneClock = starts.haveOneClock && moment.has_value();
        starts.ns.push_back(moment ? moment->ns : 0);
        starts.uncertaintyNs = std::max(starts.uncertaintyNs, moment ? moment->uncertaintyNs : 0);
    }
    if (!starts.haveOneClock)
        std::ranges::fill(starts.ns, 0);
    const auto first = std::ranges::min_element(starts.ns);
    for (const std::int64_t zero = *first; std::int64_t & ns : starts.ns)
        ns -= zero;
    return starts;
}

std::vector<Bar> phaseBars(const Sample& sample, std::int64_t startNs)
{
    std::vector<Bar> bars;
    for (const Phase phase : kPhases) {
        const std::int64_t length = sample.phases[static_cast<std::size_t>(phase)];
        const PhasePart part = partOf(phase, sample.told);
        if (length > 0)
            bars.push_back({Activity::phase, std::string(nameOf(part)), part, msOf(startNs), msOf(length), {}, {}});
        startNs += length;
    }
    return bars;
}

/// Workers number layers, facts name them.
std::string layerName(const DetailedIteration& iteration, std::size_t layer)
{
    return layer < iteration.layers.size() ? iteration.layers[layer].name : fmt::format("layer {}", layer);
}

std::vector<Bar> layerBars(const DetailedIteration& iteration, const RankIteration& rank, std::int64_t startNs)
{
    std::vector<Bar> bars;
    for (std::size_t i = 0; i < rank.layers.size(); ++i) {
        const LayerTiming& layer = rank.layers[i];
        const std::string name = layerName(iteration, i);
        std::optional<std::uint64_t> bytes;
        if (i < iteration.layers.size())
            bytes = iteration.layers[i].gradientBytes;
        if (layer.forwardNs > 0)
            bars.push_back({Activity::forward,
                            name,
                            Phase::forward,
                            msOf(startNs + layer.forwardStartNs),
                            msOf(layer.forwardNs),
                            {},
                            bytes});
        if (layer.backwardNs > 0)
            bars.push_back({Activity::backward, name, Phase::backward, msOf(startNs + layer.backwardStartNs),
                            msOf(layer.backwardNs), msOf(startNs + layer.readyNs), bytes});
    }
    return bars;
}

std::vector<Bar> communicationBars(const RankIteration& rank, std::int64_t startNs)
{
    std::vector<Bar> bars;
    for (const BucketTiming& bucket : rank.buckets)
        bars.push_back({Activity::communication,
                        fmt::format("bucket {}", bucket.bucket),
                        Phase::commExposed,
                        msOf(startNs + bucket.startNs),
                        msOf(bucket.lengthNs),
                        {},
                        bucket.bytes});
    return bars;
}

void sortByTime(std::vector<Bar>& bars)
{
    std::ranges::stable_sort(bars, [](const Bar& a, const Bar& b) { return a.start < b.start; });
}

Lane laneOf(const DetailedIteration& iteration, const RankIteration& rank, std::int64_t startNs)
{
    Lane lane{rank.rank, rank.host, phaseBars(rank.sample, startNs), layerBars(iteration, rank, startNs),
              communicationBars(rank, startNs)};
    sortByTime(lane.layers);
    sortByTime(lane.communication);
    return lane;
}

/// The asynchronous kind of communication may end after the iteration.
Span spanOf(const std::vector<Lane>& lanes)
{
    Span span;
    for (const Lane& lane : lanes)
        for (const auto* bars : {&lane.phases, &lane.layers, &lane.communication})
            for (const Bar& bar : *bars)
                span = {std::min(span.from, bar.start), std::max(span.to, bar.end())};
    return span;
}

std::string settingText(const RunRow& run, const char* key)
{
    const Value* level = valueOf(run.settings, key);
    return level ? spec::labelOf(key, *level) : "";
}

/// "ResNet-18 by plan buckets on 2 CPU ranks".
std::string whatText(const RunRow& run)
{
    const std::string plan = settingText(run, "plan");
    return settingText(run, "model") + (plan.empty() || plan == "none" ? "" : " by plan " + plan) + " on " +
           ranksText(run.settings);
}

/// "20.0 µs", "1.55 ms".
std::string briefTime(std::int64_t ns)
{
    constexpr std::int64_t kMs = 1'000'000;
    return ns < kMs ? formatShort(static_cast<double>(ns) / 1e3) + " µs" : formatShort(msOf(ns)) + " ms";
}

/// "phases of the iteration, layers forward and backward, and communication bucket by bucket", as far as it is there.
std::string rowsText(const DetailedIteration& iteration)
{
    const auto any = [&](auto part) {
        return std::ranges::any_of(iteration.ranks, [&](const RankIteration& rank) { return !(rank.*part).empty(); });
    };
    std::vector<std::string> rows{"phases of the iteration"};
    if (any(&RankIteration::layers))
        rows.emplace_back("layers forward and backward");
    if (any(&RankIteration::buckets))
        rows.emplace_back("communication bucket by bucket");
    return enumerate(rows);
}

/// True where layers go forward later than the phases of before and forward end: each waits for its own weights then,
/// and waiting and updating lie in between.
bool takesTurns(const RankIteration& rank)
{
    const Sample& sample = rank.sample;
    std::int64_t forwardEnd = 0, passedEnd = 0;
    for (const Phase phase : phasesUntil(Phase::forward)) {
        if (!sample.told.has(phase))
            return false; // not reported
        forwardEnd += sample.phases[static_cast<std::size_t>(phase)];
    }
    for (const LayerTiming& layer : rank.layers)
        if (layer.forwardNs > 0)
            passedEnd = std::max(passedEnd, layer.forwardStartNs + layer.forwardNs);
    return passedEnd > forwardEnd + sample.lengthNs() / kClearlyOutside;
}

std::vector<std::string> notesOf(const RunRow& run, const DetailedIteration& iteration, const Starts& starts,
                                 const std::vector<Caveat>& caveats)
{
    std::vector<std::string> notes = mapped(caveats, [&](const Caveat& caveat) { return caveat.note(); });
    std::ranges::move(flagNotes(run), std::back_inserter(notes));
    if (iteration.ranks.size() > kMostLanes)
        notes.push_back(fmt::format("{} of {} ranks shown", kMostLanes, iteration.ranks.size()));
    const auto all = static_cast<std::size_t>(std::max<std::int64_t>(1, integerOf(run.settings, "ranks").value_or(1)));
    if (iteration.ranks.size() < all)
        notes.push_back(fmt::format("{} of {} ranks have this iteration", iteration.ranks.size(), all));
    if (iteration.ranks.front().layers.empty())
        notes.emplace_back("no times of layers were recorded");
    if (!std::ranges::all_of(iteration.ranks, [](const RankIteration& rank) { return rank.sample.told.hasAll(); }))
        notes.push_back(fmt::format("phases that are not told are together in “{}”, at the end, whenever they were",
                                    wordsOf(kNotTold).title));
    if (std::ranges::any_of(iteration.ranks, takesTurns))
        notes.emplace_back("layers wait for their weights and are updated in between: bars of phases are their totals, "
                           "laid end to end");
    if (!starts.haveOneClock && iteration.ranks.size() > 1)
        notes.emplace_back("clocks of the ranks were not compared: each begins at 0");
    else if (starts.uncertaintyNs > 0)
        notes.push_back("clocks of the ranks agree to ± " + briefTime(starts.uncertaintyNs));
    return notes;
}

/// "15.0 ms".
std::string exposedText(const Sample& sample)
{
    return sample.told.has(Phase::commExposed)
               ? formatShort(msOf(sample.phases[static_cast<std::size_t>(Phase::commExposed)])) + " ms"
               : "not told";
}

std::string captionOf(const RunRow& run, const DetailedIteration& iteration, const FigureData& figure)
{
    std::string text = fmt::format("Iteration {} of {} (run {}, repeat {}). Of each rank, from above: {}.",
                                   iteration.seq, whatText(run), run.number, run.repeat, rowsText(iteration));
    if (!iteration.ranks.front().layers.empty())
        text += " Activations and poolings belong to no layer.";
    if (const std::string conditions = conditionsText(run, iteration.facts); !conditions.empty())
        text += fmt::format(" Measured: {}.", conditions);
    for (const std::string& note : figure.notes)
        text += " " + sentenceOf(note);
    return text;
}

std::string spokenOf(const DetailedIteration& iteration, const FigureData& figure)
{
    std::string text = figure.title + ".";
    for (std::size_t i = 0; i < std::get<Lanes>(figure.drawing).lanes.size(); ++i) {
        const RankIteration& rank = iteration.ranks[i];
        text += fmt::format(" Rank {}: {} ms, exposed communication {}, {}.", rank.rank,
                            formatShort(msOf(rank.sample.lengthNs())), exposedText(rank.sample),
                            counted(static_cast<int>(rank.buckets.size()), "bucket", "buckets"));
    }
    for (const std::string& note : figure.notes)
        text += " " + note + ".";
    return text;
}

Error noDetails(const RunRow& run, const DetailedIteration& iteration)
{
    if (iteration.recorded.empty())
        return {ErrorCode::notFound, Words::tr("No iteration of run {} was recorded in detail.", run.number),
                Words::tr("Workers record the first one after the warm-up, and then a few. Choose another run.")};
    const std::span all(iteration.recorded);
    std::string numbers = joined(all.first(std::min(kMostNamed, all.size())), ", ",
                                 [](std::uint32_t seq) { return std::to_string(seq); });
    if (all.size() > kMostNamed)
        numbers += " …";
    return {ErrorCode::notFound,
            Words::tr("Iteration {} of run {} was not recorded in detail.", iteration.seq, run.number),
            Words::tr("Recorded are: {}.", numbers)};
}

} // namespace

std::optional<RunId> runForTimeline(const Comparison& comparison, const std::optional<RunId>& asked)
{
    std::optional<RunId> last;
    for (const Group& group : comparison.groups)
        for (const RunId& run : group.runs) {
            if (run == asked)
                return asked;
            last = run;
        }
    return last;
}

Result<FigureData> timeline(const store::RunRow& run, const store::DetailedIteration& iteration,
                            const std::optional<AggregationPlan>& plan)
{
    if (iteration.ranks.empty())
        return tl::unexpected(noDetails(run, iteration));
    const std::vector<Caveat> caveats = caveatsOf(run, plan);
    const Starts starts = startsOf(iteration);
    Lanes drawing;
    drawing.x.title = "Time (ms" + axisCaveats(caveats) + ")";
    for (std::size_t i = 0; i < std::min(kMostLanes, iteration.ranks.size()); ++i)
        drawing.lanes.push_back(laneOf(iteration, iteration.ranks[i], starts.ns[i]));
    drawing.whole = drawing.shown = spanOf(drawing.lanes);
    FigureData figure;
    figure.kind = kTimelineName;
    figure.title = fmt::format("Iteration {} of {}", iteration.seq, whatText(run));
    figure.drawing = std::move(drawing);
    figure.keyNote = fmt::format("run {}", run.number);
    figure.notes = notesOf(run, iteration, starts, caveats);
    figure.caption = captionOf(run, iteration, figure);
    figure.spoken = spokenOf(iteration, figure);
    return figure;
}

} // namespace ringside::report
