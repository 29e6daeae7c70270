// SPDX-License-Identifier: MIT
// A figure as data: what the chart on screen, the PDF/SVG/PNG painter, CSV, JSON and the spoken summary all draw from.
#pragma once

#include "core/base/ids.h"
#include "core/protocol/names.h"
#include "core/protocol/sample.h"
#include "core/report/utilisation.h"
#include "core/spec/basecase.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ringside::report {

struct Axis
{
    std::string title;               ///< "Speed-up (ratio)", "CPU ranks (count)"
    bool categories = false;         ///< true: x of a point is an index into `labels`
    std::vector<double> ticks;       ///< where ticks belong if they belong at data; else empty
    std::vector<std::string> labels; ///< of categories; or as many as ticks, which are no counts then
    bool log2 = false;               ///< logarithmic, noted in the title
};

/// A group's standing against the fastest that answers the same question.
enum class Verdict
{
    best,
    slower,
    noDifferenceShown,
    noClaim
};
constexpr auto namesOf(Verdict)
{
    return std::to_array<std::string_view>({"best", "slower", "no_difference_shown", "no_claim"});
}

/// Reason why nothing is claimed.
enum class NoClaim
{
    fewRuns,         ///< fewer than six
    fewOfTheFastest, ///< the fastest has fewer than six
    manyComparisons  ///< so many at once that no p could be small enough
};

/// Compares its throughput, whatever the figure shows (STATISTICS.md, 6).
struct AgainstBest
{
    Verdict verdict = Verdict::noClaim;
    double ratio = 1;                   ///< to the fastest; at most 1
    std::optional<double> low, high, p; ///< absent where nothing is claimed, and of the fastest
    NoClaim why = NoClaim::fewRuns;     ///< of noClaim
    spec::Differences differs = {};     ///< beside the factors: what the fastest and what the group has
};

/// The configuration of a point or a stack, for files: names with texts, the same names for all of a figure.
struct Origin
{
    std::vector<std::pair<std::string, std::string>> factors;    ///< every factor that varies; its level as in files
    std::vector<std::pair<std::string, std::string>> conditions; ///< conditions.h, flags, what differs from the base
    std::string version = {};                                    ///< software.h, where systems are compared
};

struct Point
{
    double x = 0;                    ///< value or category index
    double y = 0;                    ///< in the unit of the y axis: efficiency in %
    std::optional<double> low, high; ///< 95 % interval; absent below n = 6
    int n = 0;                       ///< runs in it
    int failed = 0, disturbed = 0;
    std::string flags;           ///< of its finished runs (flagnotes.h)
    std::vector<double> singles; ///< the runs' own values; drawn where there is no interval
    std::vector<RunId> runs;
    std::optional<AgainstBest> againstBest; ///< absent where nothing else answers the same question
    Utilisation utilisation;                ///< median over its runs
    Origin origin;
    bool isBase = false;
    bool open() const { return n < 6; }
};

/// Colours for series never repeat: further series are gray, without a name in the figure (UX.md 5.3).
inline constexpr int kSeriesColours = 7;

struct Series
{
    std::string name;
    int style = 0;             ///< index into the series styles of UX.md 5.3; by the level's place in its factor
    bool neutral = false;      ///< collapsed: belongs to several series, so it has no series colour
    std::vector<Point> points; ///< by x
    Settings levels = {};      ///< what distinguishes it, less what collapsed and what its engine does not know

    /// Neither in colour nor collapsed: seen as a thin line, so that the rest can be read against it.
    bool isGray() const { return !neutral && style >= kSeriesColours; }
};

/// One horizontal stack: a configuration's mean iteration.
struct Stack
{
    std::string label; ///< "packed · prefetched batches 4"
    std::string tick;  ///< "packed · 4": the same beside the axis, whose title names the factors
    std::array<double, kPhaseCount> phases{};  ///< ms, indexed by Phase
    PhaseSet told = PhaseSet::all();           ///< by all of its runs
    double total = 0;                          ///< their sum
    double low = 0, high = 0;                  ///< lowest and highest run
    std::optional<double> hiddenCommunication; ///< ms of comm_total that is not exposed, where that is reported
    std::optional<double> read, decode;        ///< ms of loader threads together; no part of the total
    int n = 0;
    int failed = 0, disturbed = 0;
    std::string flags; ///< as of a point
    std::vector<RunId> runs;
    Utilisation utilisation; ///< as of a point
    Origin origin;
    /// Enough of it to be seen: a thousandth of the iteration.
    bool hidesCommunication() const { return hiddenCommunication.value_or(0) > 0.001 * total; }
    bool loads() const { return read.value_or(0) + decode.value_or(0) > 0.001 * total; }
};

/// A cell all of whose runs failed. It is not drawn; in the printed figure it has a row, in its file a line.
struct FailedCell
{
    std::string panel;
    std::string name; ///< of the series, or as a stack's label
    double x = 0;     ///< as of a point
    int failed = 0, disturbed = 0;
    Origin origin;
};

/// The activity that a bar of a timeline stands for.
enum class Activity
{
    phase,
    forward,      ///< of a layer
    backward,     ///< of a layer
    communication ///< of a bucket
};
constexpr auto namesOf(Activity)
{
    return std::to_array<std::string_view>({"phase", "forward", "backward", "communication"});
}

/// Times in ms from the first rank's start of the iteration, on the clock of rank 0.
struct Bar
{
    Activity activity = Activity::phase;
    std::string name;               ///< of the phase, the layer or the bucket
    PhasePart phase = Phase::other; ///< whose colour it has
    double start = 0, length = 0;
    std::optional<double> ready;        ///< of backward: the layer's last gradient was handed to the aggregation
    std::optional<std::uint64_t> bytes; ///< of a layer's gradients, or sent for a bucket

    double end() const { return start + length; }
};

/// One rank's iteration, each kind of bars by time.
struct Lane
{
    int rank = 0;
    std::string host;
    std::vector<Bar> phases, layers, communication;
};

/// A piece of time, ms.
struct Span
{
    double from = 0, to = 0;
    double length() const { return to - from; }
    bool operator==(const Span&) const = default;
};

struct FigureData;

// A drawing is what a painter of app/figures paints. Each says whether there is anything in it, along which axis its
// values stand, and what it plots as a file (files.h).

/// Points along x: joined to lines where x counts, else drawn as bars.
struct Points
{
    enum class Ideal
    {
        none,
        proportional, ///< to ranks along x, 1 at those of the panel's base case
        constant      ///< as good as the base case
    };

    struct Panel
    {
        std::string title; ///< "ResNet-50"; empty if there is one panel only
        std::vector<Series> series;
        std::optional<std::string> baseText; ///< "base case: 1 CPU rank, 302.4 images/s, n = 6"
        double baseRanks = 0;                ///< of the base case, whether that is drawn or not; 0: there is none
        Ideal ideal = Ideal::none;
    };

    Axis x, y;
    bool lines = false;
    bool isRatio = false; ///< to the base case, which is ringed and written out; all panels have one scale then
    double perUnit = 1;   ///< along y stands so many times the value that files have: 100 of per cent
    std::string suffix;   ///< behind a value at the end of a line: "×"
    std::vector<Panel> panels;

    bool isEmpty() const { return panels.empty(); }
    Axis& valueAxis() { return y; }
    std::string csv(const FigureData& figure) const;
};

/// Horizontal stacks below each other.
struct Stacks
{
    struct Panel
    {
        std::string title;
        std::vector<Stack> stacks;
    };

    Axis x, y; ///< time, and what names the stacks
    std::vector<Panel> panels;

    bool isEmpty() const { return panels.empty(); }
    Axis& valueAxis() { return x; }
    std::string csv(const FigureData& figure) const;
};

/// Ranks below each other along time.
struct Lanes
{
    Axis x;
    Span whole, shown; ///< all of the iteration, and the part that is drawn
    std::vector<Lane> lanes;

    bool isEmpty() const { return lanes.empty(); }
    Axis& valueAxis() { return x; }
    std::string csv(const FigureData& figure) const;
};

struct FigureData
{
    std::string kind;    ///< the name of its kind: "speedup"; empty: of none
    std::string unit;    ///< of y in files: "images/s", "1", "ms"
    std::string title;   ///< "Speed-up of ResNet-50, weak scaling"
    std::string keyNote; ///< "bars: 95 % interval of the ratio · open: n < 6, no interval"
    std::string differs; ///< "base case differs in batch per rank, too"; empty where only factors differ
    std::variant<Points, Stacks, Lanes> drawing;
    std::vector<FailedCell> failedCells;
    std::string caption;            ///< for a paper: says what was measured, n, interval, base case
    std::string spoken;             ///< one sentence or two for a screen reader
    std::vector<std::string> notes; ///< "13 of 15 cells have runs", "2 runs were disturbed"

    bool isEmpty() const;
    /// nullptr: it is another drawing.
    template <class Drawing> const Drawing* as() const { return std::get_if<Drawing>(&drawing); }
    template <class Drawing> Drawing* as() { return std::get_if<Drawing>(&drawing); }
};

/// The points that a line joins. The base case belongs to all series of whose levels it has none other, so their lines
/// start at the neutral points of the panel that lie before their own first ones. Points of `panel`, which must outlive
/// the answer.
std::vector<const Point*> joinedPoints(const Points::Panel& panel, const Series& series);

/// That of the first cell, whose names all lines of a file have; empty if there is none.
Origin firstOrigin(const std::vector<FailedCell>& cells);

/// Names of its gray series, each once.
std::vector<std::string> grayNames(const Points& points);

/// y of the ideal line at x.
double idealAt(const Points& points, const Points::Panel& panel, double x);

/// Returns whether any of its stacks has a strip of hidden communication.
bool hidesCommunication(const Stacks& stacks);

/// Returns whether loader threads read or decoded for any of its stacks.
bool loads(const Stacks& stacks);

/// The phases that all of its stacks report.
PhaseSet toldByAll(const Stacks& stacks);

} // namespace ringside::report
