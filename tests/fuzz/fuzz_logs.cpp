// SPDX-License-Identifier: MIT
// The readers of logs by every table that Ringside brings, on any bytes; and any pattern on any line.
#include "core/adapters/logformats.h"
#include "core/logs/figure.h"
#include "core/logs/lines.h"
#include "core/logs/linesamples.h"
#include "core/logs/linkreader.h"
#include "core/logs/reader.h"
#include "core/logs/recognise.h"
#include "core/protocol/plausible.h"
#include "tests/fuzz/property.h"

#include <initializer_list>

using namespace ringside;
using namespace ringside::logs;

namespace {

const std::vector<LogFormat>& formats()
{
    static const std::vector<LogFormat> all = adapters::logFormatsOf(adapters::AdapterBook("/nonexistent"));
    return all;
}

/// Numbers to compare: how much was read, and how often it contradicts itself.
using Reading = std::vector<std::uint64_t>;

template <class Reader> LogContent contentOf(const LogFormat& format, std::initializer_list<std::string_view> pieces)
{
    Reader reader(format);
    LineSplitter splitter(
        [&](std::uint64_t number, std::string_view line, bool isWhole) { reader.read(number, line, isWhole); });
    for (const std::string_view piece : pieces)
        splitter.feed(piece);
    splitter.finish();
    return reader.finish();
}

/// A table's times are numbers that a calibration may hold.
Reading readTables(const LogFormat& format, std::initializer_list<std::string_view> pieces)
{
    const LogContent content = contentOf<LinkReader>(format, pieces);
    Reading reading{content.lines, content.linesRead, content.findings.size()};
    fuzz::require(content.tables.size() <= kMostTables, "tables are bounded");
    for (const LinkTable& table : content.tables) {
        fuzz::require(table.times.size() <= kMostTableRows, "rows are bounded");
        fuzz::require(table.firstLine <= table.lastLine && table.lastLine <= content.lines, "a table has its lines");
        fuzz::require(table.times.size() + table.refused <= table.rows, "a row is at most one time");
        for (const LinkTime& time : table.times)
            fuzz::require(time.message.bytes > 0 && time.message.seconds > 0 && time.message.seconds <= 1e6,
                          "a time is one");
        reading.push_back(table.times.size());
    }
    return reading;
}

Reading read(const LogFormat& format, std::initializer_list<std::string_view> pieces)
{
    if (format.links)
        return readTables(format, pieces);
    const LogContent content = contentOf<LogReader>(format, pieces);
    Reading reading{content.lines, content.linesRead, content.findings.size()};
    for (const LogRun& run : content.runs) {
        std::uint64_t records = 0;
        for (const LogLane& lane : run.lanes)
            records += lane.records.size() + lane.epochs.size();
        fuzz::require(records <= content.linesRead, "a line is at most one record");
        fuzz::require(run.firstLine <= run.lastLine && run.lastLine <= content.lines, "a run has its lines");
        const LogFigure figure = figureOf(run, format.warmupRecords);
        fuzz::require(!figure.itemsPerSecond || *figure.itemsPerSecond > 0, "a throughput is one");
        (void)findingsOf(run, figure, format.warmupRecords);
        reading.push_back(records);
    }
    return reading;
}

/// As a guard reads what a process prints: samples that follow each other, and lines that are not kept.
void record(const LogFormat& format, std::string_view bytes)
{
    LineSamples lines(format, {.batchPerRank = 32, .ranks = 4, .ranksPerNode = 2});
    std::int64_t nowNs = 0, next = 0;
    const auto take = [&](bool isOver) {
        for (const Sample& sample : lines.take(nowNs, isOver)) {
            fuzz::require(!refusalOf(sample), "a sample is plausible");
            fuzz::require(sample.firstSeq() >= next, "no iteration is told twice");
            next = sample.seq + std::int64_t{1};
        }
    };
    LineSplitter splitter([&](std::uint64_t number, std::string_view line, bool isWhole) {
        nowNs += LineSamples::kSettleNs / 4;
        if (isWhole)
            lines.read(number, line, nowNs);
        take(false);
    });
    splitter.feed(bytes);
    splitter.finish();
    take(true);
    fuzz::require(lines.held() == 0, "nothing is kept of a log that is over");
}

/// The input's first line as a pattern, on the others.
void tryPattern(std::string_view bytes)
{
    const auto pattern = LinePattern::parse(bytes.substr(0, bytes.find('\n')));
    if (!pattern) {
        fuzz::require(!pattern.error().message.empty(), "a refusal says why");
        return;
    }
    LineSplitter splitter([&](std::uint64_t, std::string_view line, bool) {
        LineValues values;
        fuzz::require(!pattern->match(line, values) || line.find(pattern->key()) != std::string_view::npos,
                      "a line of a form has its key");
    });
    splitter.feed(bytes);
    splitter.finish();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::Input input(data, size);
    tryPattern(input.bytes);
    Recogniser recogniser(formats());
    LineSplitter splitter([&](std::uint64_t, std::string_view line, bool) { recogniser.read(line); });
    splitter.feed(input.bytes);
    splitter.finish();
    if (const LogFormat* format = recogniser.best()) {
        record(*format, input.bytes);
        fuzz::requireSameInPieces(input.bytes, input.cut, [&](std::initializer_list<std::string_view> pieces) {
            return read(*format, pieces);
        });
    }
    return 0;
}
