// SPDX-License-Identifier: MIT
#include "core/logs/reader.h"

#include "core/base/sequences.h"
#include "core/logs/gaps.h"
#include "core/logs/goneon.h"
#include "core/logs/measure.h"
#include "core/logs/namenumbers.h"
#include "core/logs/ranktag.h"
#include "core/logs/stampedrate.h"

#include <algorithm>
#include <utility>

namespace ringside::logs {

namespace {

/// A bar's state before its end.
bool isUnfinished(const LineForm& form, const LineValues& values)
{
    const auto count = values.whole(Quantity::iterations), total = values.whole(Quantity::totalIterations);
    return form.meaning == Meaning::epoch && count && total && *count < *total;
}

/// Returns whether an epoch's bar was drawn again at its end, as behind a validation: its time holds that, too.
bool isDrawnAgain(const LineForm& form, const Source& source, const LineValues& values)
{
    return &form == source.form && form.meaning == Meaning::epoch && form.scope == Scope::all &&
           values.has(Quantity::totalIterations);
}

std::optional<double> valueOf(const LineValues& values, Quantity quantity)
{
    const auto printed = values.get(quantity);
    return printed ? std::optional(printed->value) : std::nullopt;
}

} // namespace

LogReader::LogReader(const LogFormat& format, LogSettings given)
    : m_format(format)
    , m_given(given)
    , m_index(mapped(format.lines, [](const LineForm& form) { return form.pattern.key(); }))
    , m_damaged(format)
    , m_reporters(format)
    , m_isSeen(format.lines.size())
{
    m_content.format = format.name;
}

const LineForm* LogReader::formOf(std::string_view text, LineValues& values)
{
    constexpr std::size_t kMostTried = 4; // without a look for keys
    const auto& forms = m_format.lines;
    for (std::size_t form = 0; form < m_likely; ++form)
        if (forms[form].pattern.match(text, values))
            return &forms[form];
    m_likely = 0;
    m_index.find(text, m_candidates);
    for (const std::uint32_t form : m_candidates)
        if (forms[form].pattern.match(text, values)) {
            m_likely = form < kMostTried ? form + 1 : 0;
            return &forms[form];
        }
    return nullptr;
}

bool LogReader::read(std::uint64_t number, std::string_view shown, bool isWhole)
{
    m_content.lines = number;
    std::string_view text = shown;
    Line line{number, takeRankTag(text), {}, {}, nullptr};
    line.form = formOf(text, line.values);
    const auto damaged = line.form ? std::nullopt : m_damaged.find(number, text);
    if (damaged && (isWhole || damaged < number))
        note({FindingCode::damagedRecords}, *damaged);
    else if (!isWhole && (line.form || damaged))
        note({FindingCode::cutLines}, number);
    if (!line.form || !isWhole)
        return false;
    line.stamp = findStamp(text);
    if (!line.stamp && text.size() < shown.size())
        line.stamp = findStamp(shown);
    if (const auto rank = line.values.whole(Quantity::rank); rank && !line.rank)
        line.rank = static_cast<int>(*rank);
    m_content.linesRead += std::exchange(m_lastRead, number) != number; // a bar's states are one line
    m_isSeen[static_cast<std::size_t>(line.form - m_format.lines.data())] = true;
    line.form = m_reporters.formOf(line.form, line.rank);
    apply(line);
    return true;
}

std::vector<VersionRange> LogReader::versionsSeen() const
{
    std::vector<VersionRange> seen;
    for (std::size_t form = 0; form < m_isSeen.size(); ++form)
        if (const VersionRange& range = m_format.lines[form].versions;
            m_isSeen[form] && !range.isAll() && !contains(seen, range))
            seen.push_back(range);
    return seen;
}

LogContent LogReader::finish()
{
    m_content.versions = versionsSeen();
    auto& runs = m_content.runs;
    if (m_sources.runOf({}) < runs.size()) // else a run began that printed no record
        addLeft(runs.back());
    for (LogRun& run : runs) {
        if (run.isMixed)
            refuseAll(run);
        leaveOutEarlier(run, m_content.findings);
        for (LogLane& lane : run.lanes)
            refuseAgainstStamps(lane, run.settings, m_format.warmupRecords, m_content.findings);
        if (!run.isMixed)
            addGaps(run, m_content.findings);
    }
    std::erase_if(runs, [](const LogRun& run) { return run.lanes.empty() && run.claims.empty(); });
    return std::move(m_content);
}

std::vector<LogReader::Taken> LogReader::takeRecords(bool isAll)
{
    std::vector<Taken> taken;
    m_records = m_content.runs.size(); // what is behind has its bound, too
    m_claims = 0;
    for (LogRun& run : m_content.runs) {
        run.claims.clear();
        for (LogLane& lane : run.lanes) {
            lane.epochs.clear();
            const auto end = lane.records.empty() || isAll ? lane.records.end() : lane.records.end() - 1;
            for (auto record = lane.records.begin(); record != end; ++record) {
                const auto phases = lane.phasesOf(*record);
                taken.push_back({lane.scope, lane.rank, *record, {phases.begin(), phases.end()}});
            }
            lane.records.erase(lane.records.begin(), end);
            const auto held = lane.records.empty() ? std::span<const PhaseTime>() : lane.phasesOf(lane.records.front());
            lane.phases = {held.begin(), held.end()};
            for (LogRecord& record : lane.records)
                record.firstPhase = 0;
            m_records += lane.records.size();
        }
    }
    std::stable_sort(taken.begin(), taken.end(),
                     [](const Taken& one, const Taken& other) { return one.record.line < other.record.line; });
    return taken;
}

std::uint64_t LogReader::firstHeld() const
{
    std::uint64_t first = m_content.lines + 1;
    for (const LogRun& run : m_content.runs)
        for (const LogLane& lane : run.lanes)
            if (!lane.records.empty())
                first = std::min(first, lane.records.front().line);
    return first;
}

void LogReader::apply(Line& line)
{
    switch (line.form->meaning) {
    case Meaning::start:
        beginRun(line.rank, true);
        return noteContext(line);
    case Meaning::context:
    case Meaning::reporter:
        return noteContext(line);
    case Meaning::test:
        return m_sources.noteTest(line.rank);
    case Meaning::summary:
        return addClaim(line);
    case Meaning::interval:
    case Meaning::iteration:
    case Meaning::mean:
    case Meaning::epoch:
        return addRecord(line);
    }
}

void LogReader::beginRun(std::optional<int> rank, bool isAnnounced)
{
    m_sources.begin(rank, isAnnounced);
    m_ahead.forgetEpochs(rank);
}

LogRun& LogReader::runAt(std::size_t index, std::uint64_t line)
{
    auto& runs = m_content.runs;
    const std::uint64_t first = std::exchange(m_prelude, {}).value_or(line);
    while (runs.size() <= index)
        runs.push_back({.firstLine = first, .lastLine = line, .settings = m_given, .lanes = {}, .claims = {}});
    runs[index].lastLine = std::max(runs[index].lastLine, line);
    return runs[index];
}

void LogReader::noteContext(Line& line)
{
    if (m_ahead.goesBack(line.rank, line.values))
        beginRun(line.rank, false);
    const std::uint64_t header = headerOf(line);
    m_prelude = m_prelude.value_or(line.number);
    m_lastContext = line.number;
    line.stated = takeStated(line.values, line.number, line.form->meaning == Meaning::reporter);
    if (!m_ahead.note(line.rank, {line.values, line.stated}, header))
        note({FindingCode::tooManyRanks}, line.number);
}

/// Returns the first line of the header that the line belongs to. Of ranks without tags each reports its own batch
/// before any prints a record, and other lines may lie between; one more than there are ranks is of another try.
std::uint64_t LogReader::headerOf(const Line& line)
{
    const bool isReporter = line.form->meaning == Meaning::reporter;
    if (line.form->meaning != Meaning::context || line.number > m_lastContext + 1)
        m_header = line.number;
    if (!isReporter || line.form->scope != Scope::rank || isOneProcess(line.rank))
        return m_header;
    if (!m_prelude || m_begun >= line.values.whole(Quantity::ranks).value_or(1)) {
        m_firstReporter = line.number;
        m_begun = 0;
    }
    ++m_begun;
    return m_firstReporter;
}

/// Names may be one behind the other, and no run of one: what contradicts another name's is found when their runs are
/// known (nametags.h).
void LogReader::noteStated(LogRun& run, const Line& line)
{
    const LogSettings before = run.settings;
    Statements& known = run.statements[nameOf(line.rank)];
    Statements stated{.batches = line.stated, .ranksLine = line.number};
    noteSettings(stated.settings, line.values);
    const auto isOwn = [&](std::size_t batch) { return line.stated[batch].line == 0; }; // a record's may change
    for (std::size_t batch = 0; batch < kBatches.size(); ++batch)
        if (const auto setting = kBatches[batch].setting; isOwn(batch) && known.settings.*setting)
            stated.settings.*setting = known.settings.*setting;
    for (const Finding& finding : addStatements(known, stated, m_given))
        note(finding, finding.line);
    noteSettings(run.settings, stated.settings);
    for (std::size_t batch = 0; batch < kBatches.size(); ++batch)
        if (const auto setting = kBatches[batch].setting;
            isOwn(batch) && before.*setting && before.*setting != m_given.*setting)
            run.settings.*setting = before.*setting;
    addStated(run.settings, run.stated, stated.batches, m_given);
}

/// Adds what lines say behind the last record, or those of ranks that print none. Another batch than the run's is that
/// of a run that has printed no record yet, or of an evaluation.
void LogReader::addLeft(LogRun& run)
{
    Noted left = m_ahead.left(run.firstLine);
    for (std::size_t batch = 0; batch < kBatches.size(); ++batch)
        if (run.stated[batch].line != 0)
            left.dropBatch(batch);
    noteSettings(run.settings, left.values);
    noteSettings(run.statements[{}].settings, left.values);
    if (const auto differs = addStated(run.settings, run.stated, left.stated, m_given))
        note(*differs, differs->line);
}

void LogReader::addClaim(Line& line)
{
    if (m_claims >= kMostClaims)
        return note({FindingCode::tooManyClaims}, line.number);
    ++m_claims;
    line.stated = takeStated(line.values, line.number);
    LogRun& claimed = runAt(m_sources.runOf(line.rank), line.number);
    noteStated(claimed, line);
    claimed.claims.push_back({line.number, line.form->scope, valueOf(line.values, Quantity::itemRate),
                              valueOf(line.values, Quantity::iterationRate)});
}

void LogReader::note(Finding finding, std::uint64_t line)
{
    addFinding(m_content.findings, finding, line);
}

/// Adds what earlier lines said, and assigns a count to what it counts.
void LogReader::complete(Line& line)
{
    line.isBehindHeader = m_ahead.complete(line.rank, line.values, line.stated, [&](const LineValues& tried) {
        return isOneProcess(line.rank) || !isBehindOne({line.number, line.rank, line.stamp, tried, line.form});
    });
    const auto inEpoch = line.values.whole(Quantity::itemsPerEpoch);
    const auto run = m_sources.runOf(line.rank);
    const auto told = inEpoch || run >= m_content.runs.size() ? inEpoch : m_content.runs[run].settings.itemsPerEpoch;
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

/// A line that looks like an epoch where epochs are announced, and was not.
bool LogReader::isEvaluation(const Line& line) const
{
    return line.form->meaning == Meaning::epoch && m_ahead.epoch(line.rank) && !line.values.has(Quantity::epoch);
}

/// Returns whether the line is about the source's last record and contradicts nothing of it.
bool LogReader::isSame(const Line& line, const Source& source) const
{
    if (source.scope != line.form->scope || !source.lane || !source.place ||
        source.form->meaning != line.form->meaning || m_ahead.placeIn(source, line.values) != source.place)
        return false;
    const bool isOther = source.form != line.form && line.form->meaning != Meaning::mean;
    return source.last.repeats(line.values) || (isOther && !source.last.overlaps(line.values)) ||
           isDrawnAgain(*line.form, source, line.values);
}

Source* LogReader::sameSource(const Line& line)
{
    const auto isSameAs = [&](const Source& source) { return isSame(line, source); };
    if (isOneProcess(line.rank)) {
        Source* source = m_sources.tagged(*line.rank, line.form->scope);
        return source && isSameAs(*source) ? source : nullptr;
    }
    auto& untagged = m_sources.untagged(line.rank);
    const auto found = std::ranges::find_if(untagged, isSameAs);
    return found == untagged.end() ? nullptr : &*found;
}

/// A line that repeats a record is no other one: a framework prints a line for each of its metrics, or each rank prints
/// the same numbers of all. Nor is one that reports something else of the same iterations.
bool LogReader::addToLast(const Line& line, const std::optional<double>& batch)
{
    Source* source = sameSource(line);
    if (!source)
        return false;
    if (source->form == line.form && source->repeated + 1 == source->placed)
        ++source->repeated;
    LogLane& lane = m_content.runs[source->run].lanes[*source->lane];
    auto& records = line.form->meaning == Meaning::epoch ? lane.epochs : lane.records;
    if (line.form->meaning == Meaning::mean || records.empty() || isDrawnAgain(*line.form, *source, line.values))
        return true;
    LogRecord& last = records.back();
    source->last.addMissing(line.values);
    Before before{.batch = batch};
    if (last.iteration && last.iterations)
        before.iteration = *last.iteration - static_cast<std::int64_t>(*last.iterations);
    auto [record, finding] = measure(source->last, line.form->meaning, before);
    if (finding && !last.isRefused)
        note(*finding, line.number);
    record.line = last.line;
    record.firstPhase = last.firstPhase;
    record.phases = last.phases;
    record.holdsTest |= last.holdsTest;
    record.statesBatch |= last.statesBatch;
    record.passed = last.passed;
    if (!record.seconds && !record.itemRate && !record.iterationRate) { // by stamps
        record.seconds = last.seconds;
        record.iterationRate = last.iterationRate;
        record.isByStamps = last.isByStamps;
    }
    last = record;
    addPhases(lane, last, source->last);
    return true;
}

/// Items of an iteration where the line states them, which may change from line to line.
std::optional<double> LogReader::batchIn(const Line& line)
{
    if (line.form->scope == Scope::node)
        return std::nullopt;
    const bool isAll = line.form->scope == Scope::all;
    return valueOf(line.values, isAll ? Quantity::batchGlobal : Quantity::batchPerRank);
}

void LogReader::addRecord(Line& line)
{
    if (m_records >= kMostRecords)
        return note({FindingCode::tooManyRecords}, line.number);
    if (isUnfinished(*line.form, line.values))
        return;
    const auto batch = batchIn(line);
    complete(line);
    if (isEvaluation(line) || addToLast(line, batch))
        return;
    Source* source = sourceOf(line);
    if (!source)
        return;
    ++m_records;
    if (line.form->meaning == Meaning::mean)
        return addMean(line, *source);
    store(line, *source, measured(line, *source, batch));
}

LogRecord LogReader::measured(const Line& line, const Source& source, const std::optional<double>& batch)
{
    Before before{.batch = batch};
    if (line.place && source.place && source.place->first == line.place->first)
        before.iteration = source.place->second;
    if (source.stamp && line.stamp && line.form->meaning != Meaning::epoch) {
        before.secondsSince = secondsBetween(*source.stamp, *line.stamp);
        before.stampHalfStep = line.stamp->halfStep;
    }
    auto [record, finding] = measure(line.values, line.form->meaning, before);
    if (finding)
        note(*finding, line.number);
    if (const auto gap = gapBefore(line.values, before))
        note(*gap, line.number);
    return record;
}

void LogReader::addMean(const Line& line, Source& source)
{
    const bool goesOn = line.place && source.place && source.place->first == line.place->first;
    const auto mean =
        goesOn ? measureMean(line.values, source.place->second, source.iterationsOverRate.value_or(Printed{}))
               : measureMean(line.values, 0, Printed{});
    if (mean.finding)
        return note(*mean.finding, line.number);
    if (!mean.record)
        return;
    source.iterationsOverRate = mean.total;
    store(line, source, *mean.record);
}

/// Returns whether a record prints its items where a reporter alone states the batch, which may be that of another
/// rank, or that of most iterations.
bool LogReader::statesItems(const Line& line, const LogRun& run)
{
    return line.values.has(Quantity::items) && std::ranges::any_of(run.stated, &StatedBatch::isReported);
}

void LogReader::store(const Line& line, Source& source, LogRecord record)
{
    LogRun& run = runAt(source.run, line.number);
    if (line.values.hasSettings())
        noteStated(run, line);
    if (!source.lane) {
        m_sources.setLane(source, run.lanes.size());
        run.lanes.push_back({.rank = line.rank, .scope = line.form->scope, .records = {}, .epochs = {}, .phases = {}});
    }
    record.line = line.number;
    record.statesBatch |= statesItems(line, run);
    source.form = line.form;
    source.last = line.values;
    if (line.place) {
        if (source.goesOnEarlier(*line.place))
            noteMixed(FindingCode::mixedProcesses, line.number, source, kRunsOfReturns);
        source.moveTo(*line.place);
        if (source.turns.add(*line.place, source.run, line.number) && !source.isMixed)
            noteMixed(FindingCode::recordsByTurns, source.turns.firstLine(), source,
                      source.run - source.turns.firstRun());
    }
    run.isMixed |= source.isMixed;
    LogLane& lane = run.lanes[*source.lane];
    if (line.form->meaning != Meaning::mean)
        addPhases(lane, record, line.values);
    if (line.form->meaning == Meaning::epoch) {
        if (const auto epoch = line.values.whole(Quantity::epoch))
            source.epoch = *epoch + 1;
        return lane.epochs.push_back(record);
    }
    if (line.place)
        source.epoch = line.place->first;
    record.holdsTest |= m_sources.takeTest(source);
    source.moveStamp(line.stamp, record, lane);
    lane.records.push_back(record);
}

} // namespace ringside::logs
