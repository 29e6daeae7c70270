// SPDX-License-Identifier: MIT
#include "core/logs/reader.h"

#include "core/logs/hooks.h"
#include "core/logs/linerecords.h"
#include "core/logs/namenumbers.h"
#include "core/logs/ranktag.h"
#include "core/logs/statedbatches.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ringside::logs {

namespace {

/// From the words with which its form begins, if there are any.
std::size_t hashFrom(std::string_view text, std::string_view head)
{
    return std::hash<std::string_view>{}(text.substr(std::min(text.find(head), text.size())));
}

} // namespace

LogReader::LogReader(const LogFormat& format, LogSettings given)
    : m_format(format)
    , m_forms(format)
    , m_damaged(format)
    , m_reporters(format)
    , m_runs(given)
{
}

bool LogReader::read(std::uint64_t number, std::string_view shown, bool isWhole)
{
    m_lines = number;
    std::string_view text = shown;
    KnownLine line; // without braces, which would set all that its values may hold to 0
    line.number = number;
    line.rank = takeRankTag(text);
    line.form = m_forms.find(text, line.values);
    const auto damaged = line.form ? std::nullopt : m_damaged.find(number, text);
    if (damaged && (isWhole || damaged < number))
        m_runs.note({FindingCode::damagedRecords}, *damaged);
    else if (!isWhole && (line.form || damaged))
        m_runs.note({FindingCode::cutLines}, number);
    if (!line.form || !isWhole)
        return false;
    line.text = hashFrom(text, line.form->pattern.head());
    line.stamp = findStamp(text);
    if (!line.stamp && foreignStamp(shown) > 0)
        line.stamp = findStamp(shown);
    if (const auto rank = line.values.whole(Quantity::rank); rank && !line.rank && isRank(*rank))
        line.rank = static_cast<int>(*rank);
    m_linesRead += std::exchange(m_lastRead, number) != number; // a bar's states are one line
    m_forms.noteSeen(*line.form);
    line.form = m_reporters.formOf(line.form, line.rank);
    apply(line);
    return true;
}

LogContent LogReader::finish()
{
    const auto& runs = m_runs.all();
    if (m_processes.runOf({}) < runs.size()) // else a run began that printed no record
        m_runs.addLeft(m_processes.left(runs.back().firstLine));
    LogContent content = m_runs.finish(m_format.warmupRecords);
    content.format = m_format.name;
    content.lines = m_lines;
    content.linesRead = m_linesRead;
    content.versions = m_forms.versionsSeen();
    return content;
}

std::vector<RecordOf> LogReader::takeRecords(bool isAll)
{
    auto taken = m_runs.takeRecords(isAll);
    m_records = m_runs.held(); // what is behind has its bound, too
    m_claims = 0;
    return taken;
}

std::uint64_t LogReader::firstHeld() const
{
    return m_runs.firstHeld().value_or(m_lines + 1);
}

void LogReader::apply(KnownLine& line)
{
    switch (line.form->meaning) {
    case Meaning::start:
        m_reporters.beginRun(line.rank);
        m_processes.beginRun(line.rank, true);
        return noteContext(line);
    case Meaning::reporter:
        if (m_reporters.note(*line.form, line.rank)) // records before it are about another number of ranks
            m_processes.beginRun(line.rank, false);
        return noteContext(line);
    case Meaning::context:
        return noteContext(line);
    case Meaning::test:
        return m_processes.noteTest(line.rank);
    case Meaning::part:
        return m_parts.add(line);
    case Meaning::summary:
        return addClaim(line);
    case Meaning::interval:
    case Meaning::iteration:
    case Meaning::mean:
    case Meaning::epoch:
        return addRecord(line);
    }
}

LogRun& LogReader::runAt(std::size_t index, std::uint64_t line)
{
    return m_runs.at(index, line, m_headers.beginBefore(line));
}

void LogReader::noteContext(KnownLine& line)
{
    const std::uint64_t header = m_headers.add(line);
    line.stated = takeStated(line.values, line.number, line.form->meaning == Meaning::reporter);
    if (!m_processes.noteContext(line, header))
        m_runs.note({FindingCode::tooManyRanks}, line.number);
}

void LogReader::addClaim(KnownLine& line)
{
    if (m_claims >= kMostClaims)
        return m_runs.note({FindingCode::tooManyClaims}, line.number);
    ++m_claims;
    line.stated = takeStated(line.values, line.number);
    LogRun& claimed = runAt(m_processes.runOf(line.rank), line.number);
    m_runs.noteStated(claimed, line);
    claimed.claims.push_back({line.number, line.form->scope, numberIn(line.values, Quantity::itemRate),
                              numberIn(line.values, Quantity::iterationRate)});
}

/// Adds what earlier lines said, and assigns a count to what it counts.
void LogReader::complete(KnownLine& line)
{
    m_processes.complete(line, m_runs);
    const auto& runs = m_runs.all();
    const auto inEpoch = line.values.whole(Quantity::itemsPerEpoch);
    const auto run = m_processes.runOf(line.rank);
    const auto told = inEpoch || run >= runs.size() ? inEpoch : runs[run].settings.itemsPerEpoch;
    const auto count = line.values.get(Quantity::iterations);
    if (!told || !count || count->value != static_cast<double>(*told))
        return;
    // An epoch of as many iterations as items counts items: Keras before 2.4.
    line.values.set(Quantity::items, *count);
    line.values.drop(Quantity::iterations);
    if (const auto each = line.values.get(Quantity::timePerIteration)) {
        line.values.set(Quantity::timePerItem, *each);
        line.values.drop(Quantity::timePerIteration);
    }
}

/// Lines of one hook of a process stand beside the records of another one. The latter may begin to print later.
bool LogReader::addBeside(const KnownLine& line)
{
    if (Source* source = m_processes.plainSource(line))
        endPlainRecords(*source, m_runs.laneOf(*source));
    Source* source = m_processes.sourceBeside(line);
    if (!source)
        return false;
    auto& records = m_runs.laneOf(*source).records;
    if (const auto loss = numberIn(line.values, Quantity::loss); !records.empty() && !records.back().loss)
        records.back().loss = loss;
    return true;
}

/// A line that repeats a record is no other one: a framework prints a line for each of its metrics, or each rank prints
/// the same numbers of all. Nor is one that reports something else of the same iterations.
bool LogReader::addToLast(const KnownLine& line, const std::optional<double>& batch)
{
    Source* source = m_processes.sameSource(line, m_runs);
    if (!source)
        return false;
    if (source->form == line.form && source->repeated + 1 == source->placed)
        ++source->repeated;
    if (isPlainInterval(*line.form))
        source->plain = source->place;
    source->printsSeveral |= source->form == line.form && source->text != line.text;
    LogLane& lane = m_runs.laneOf(*source);
    auto& records = line.form->meaning == Meaning::epoch ? lane.epochs : lane.records;
    if (line.form->meaning == Meaning::mean || records.empty() || isDrawnAgain(line, *source))
        return true;
    LogRecord& last = records.back();
    source->last.addMissing(line.values);
    const auto [record, finding] = measureAgain(last, *source, batch);
    if (finding && !last.isRefused)
        m_runs.note(*finding, line.number);
    last = record;
    addPhases(lane, last, source->last);
    return true;
}

void LogReader::addRecord(KnownLine& line)
{
    if (m_records >= kMostRecords)
        return m_runs.note({FindingCode::tooManyRecords}, line.number);
    if (isUnfinished(line))
        return;
    m_parts.complete(line);
    const auto batch = batchIn(line);
    complete(line);
    if (m_processes.isEvaluation(line) || addBeside(line) || addToLast(line, batch))
        return;
    Source* source = m_processes.sourceOf(line, m_runs);
    if (!source)
        return;
    ++m_records;
    if (line.form->meaning == Meaning::mean)
        return addMean(line, *source);
    const auto [measured, gap] = measureNext(line, *source, batch);
    if (measured.finding)
        m_runs.note(*measured.finding, line.number);
    if (gap)
        m_runs.note(*gap, line.number);
    store(line, *source, measured.record, line.values);
}

void LogReader::addMean(const KnownLine& line, Source& source)
{
    if (const auto earlier = line.values.whole(Quantity::earlierIterations)) // which the first record alone has
        source.earlierIterations = *earlier;
    source.countsFromZero |= countsFromZero(line);
    const auto [measured, soFar, phases] = measureNextMean(line, source);
    if (measured.finding)
        m_runs.note(*measured.finding, line.number);
    if (measured.record) {
        source.mean = soFar;
        store(line, source, *measured.record, phases);
    } else if (source.lane) { // the same line of a rank without a tag is another rank's
        moveTo(line, source);
    }
}

/// Returns whether a record prints its items where a reporter alone states the batch, which may be that of another
/// rank, or that of most iterations.
bool LogReader::statesItems(const KnownLine& line, const LogRun& run)
{
    return line.values.has(Quantity::items) && std::ranges::any_of(run.stated, &StatedBatch::isReported);
}

/// Moves the source to its next line, by whose place it may turn out to be several processes.
void LogReader::moveTo(const KnownLine& line, Source& source)
{
    source.form = line.form;
    source.last = line.values;
    source.text = line.text;
    if (!line.place)
        return;
    if (source.goesOnEarlier(*line.place))
        m_runs.noteMixed(FindingCode::mixedProcesses, line.number, source, kRunsOfReturns);
    source.moveTo(*line.place);
    if (isPlainInterval(*line.form))
        source.plain = line.place;
    if (source.turns.add(*line.place, source.run, line.number) && !source.isMixed)
        m_runs.noteMixed(FindingCode::recordsByTurns, source.turns.firstLine(), source,
                         source.run - source.turns.firstRun());
}

/// The record's phases are among these values.
void LogReader::store(const KnownLine& line, Source& source, LogRecord record, const LineValues& phases)
{
    LogRun& run = runAt(source.run, line.number);
    if (line.values.hasSettings())
        m_runs.noteStated(run, line);
    if (!source.lane) {
        m_processes.setLane(source, run.lanes.size());
        run.lanes.push_back({.rank = line.rank, .scope = line.form->scope, .records = {}, .epochs = {}, .phases = {}});
    }
    record.line = line.number;
    record.statesBatch |= statesItems(line, run);
    moveTo(line, source);
    run.isMixed |= source.isMixed;
    LogLane& lane = run.lanes[*source.lane];
    addPhases(lane, record, phases);
    if (line.form->meaning == Meaning::epoch) {
        if (const auto epoch = line.values.whole(Quantity::epoch))
            source.epoch = *epoch + 1;
        return lane.epochs.push_back(record);
    }
    if (line.place)
        source.epoch = line.place->first;
    record.holdsTest |= m_processes.takeTest(source);
    source.moveStamp(line.stamp, record, lane);
    lane.records.push_back(record);
}

} // namespace ringside::logs
