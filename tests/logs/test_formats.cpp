// SPDX-License-Identifier: MIT
// The tables of resources/adapters on logs in tests/logs/formats: NAME.VARIANT.log is read as NAME, and what was read
// is NAME.VARIANT.txt. That file's first line says what the user says of the log: "given batch_per_rank=32 ranks=2".
#include "core/adapters/logformats.h"
#include "core/base/sequences.h"
#include "core/logs/figure.h"
#include "core/logs/lines.h"
#include "core/logs/linesamples.h"
#include "core/logs/ranktag.h"
#include "core/logs/recognise.h"
#include "tests/logs/examples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>
#include <sstream>

using namespace ringside;
using namespace ringside::logs;
using test::contentOf, test::Example, test::examplesIn, test::interleaved, test::shownLines, test::textOf,
    test::wordsOf;

namespace {

/// All tables as they are in the source, in the order of their names.
const std::vector<LogFormat>& formats()
{
    static const std::vector<LogFormat> all = [] {
        std::vector<LogFormat> made;
        for (const auto& entry : fs::directory_iterator(test::sourceFolder() / "resources" / "adapters")) {
            const adapters::AdapterOutcome outcome = adapters::readAdapter(textOf(entry.path()));
            REQUIRE_MESSAGE(outcome.adapter, entry.path().string());
            if (!outcome.adapter->engine.lines.empty())
                made.push_back(adapters::logFormatOf(*outcome.adapter));
        }
        std::sort(made.begin(), made.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
        return made;
    }();
    return all;
}

const LogFormat& formatNamed(std::string_view name)
{
    const auto found =
        std::find_if(formats().begin(), formats().end(), [&](const LogFormat& format) { return format.name == name; });
    REQUIRE_MESSAGE(found != formats().end(), name);
    return *found;
}

const LogFormat& formatOf(const Example& example)
{
    return formatNamed(example.form());
}

const std::vector<Example>& samples()
{
    static const std::vector<Example> all = examplesIn("formats");
    return all;
}

/// "given ranks=2 batch_per_rank=32".
LogSettings givenIn(std::string_view expected)
{
    LogSettings settings;
    std::istringstream words(std::string(expected.substr(0, expected.find('\n'))));
    for (std::string word; words >> word;) {
        const auto sign = word.find('=');
        if (sign == std::string::npos)
            continue;
        const std::string key = word.substr(0, sign);
        const std::int64_t value = std::stoll(word.substr(sign + 1));
        for (const auto& [name, setting] : {std::pair{"batch_per_rank", &settings.batchPerRank},
                                            {"batch_global", &settings.batchGlobal},
                                            {"items_per_epoch", &settings.itemsPerEpoch},
                                            {"ranks", &settings.ranks},
                                            {"nodes", &settings.nodes}})
            if (key == name)
                *setting = value;
    }
    return settings;
}

std::string toText(const std::optional<double>& number)
{
    return number ? fmt::format("{:.5g}", *number) : "-";
}
std::string toText(const std::optional<std::int64_t>& number)
{
    return number ? std::to_string(*number) : "-";
}

std::string toText(const Finding& finding)
{
    return fmt::format("  finding: {}, line {}, {:.5g} against {:.5g}, {} times\n", wordsOf(finding.code), finding.line,
                       finding.printed, finding.against, finding.count);
}

std::string toText(const LogRun& run, int warmup)
{
    const LogFigure figure = figureOf(run, warmup);
    std::string text = fmt::format("run of lines {} to {}\n", run.firstLine, run.lastLine);
    text += fmt::format("  told: batch {} a rank, {} in all, {} items an epoch, {} ranks, {} nodes\n",
                        toText(run.settings.batchPerRank), toText(run.settings.batchGlobal),
                        toText(run.settings.itemsPerEpoch), toText(run.settings.ranks), toText(run.settings.nodes));
    for (const LogLane& lane : run.lanes)
        text +=
            fmt::format("  lane: rank {}, of {}, {} records, {} epochs\n", lane.rank ? std::to_string(*lane.rank) : "-",
                        nameOf(lane.scope), lane.records.size(), lane.epochs.size());
    text += fmt::format("  figure: {} items/s, {} a lane, of {} records without {}, {} refused\n",
                        toText(figure.itemsPerSecond), toText(figure.perLane), figure.records, figure.leftOut,
                        figure.refused);
    text += fmt::format("  loss{}: {} to {}\n", figure.isLossSum ? " (sum)" : "", toText(figure.firstLoss),
                        toText(figure.lastLoss));
    for (const std::string_view missing : figure.missing)
        text += fmt::format("  asks for: {}\n", missing);
    for (const LogClaim& claim : run.claims)
        text += fmt::format("  claim: {} items/s of {}, line {}\n", toText(claim.itemRate), nameOf(claim.scope),
                            claim.line);
    for (const Finding& finding : findingsOf(run, figure, warmup))
        text += toText(finding);
    return text;
}

std::string toText(const LogContent& content, int warmup)
{
    std::string text = fmt::format("{} of {} lines\n", content.linesRead, content.lines);
    for (const LogRun& run : content.runs)
        text += toText(run, warmup);
    for (const Finding& finding : content.findings)
        text += toText(finding);
    return text;
}

bool isEqual(const LogRecord& a, const LogRecord& b)
{
    return a.epoch == b.epoch && a.iteration == b.iteration && a.itemRate == b.itemRate &&
           a.iterationRate == b.iterationRate && a.loss == b.loss && a.isRefused == b.isRefused;
}

bool areEqual(const std::vector<LogRecord>& a, const std::vector<LogRecord>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), isEqual);
}

} // namespace

TEST_CASE("logs of each form are read as they should be")
{
    CHECK(samples().size() >= 60);
    for (const Example& sample : samples()) {
        const LogFormat& format = formatOf(sample);
        const auto end = sample.expected.find('\n') + 1;
        const std::string read = toText(contentOf(format, sample.log, givenIn(sample.expected)), format.warmupRecords);
        CHECK_MESSAGE(read == sample.expected.substr(end), sample.name, ":\n", read);
    }
}

TEST_CASE("every form has a log, and there are at least twenty")
{
    CHECK(formats().size() >= 20);
    for (const LogFormat& format : formats())
        CHECK_MESSAGE(std::any_of(samples().begin(), samples().end(),
                                  [&](const Example& sample) { return &formatOf(sample) == &format; }),
                      format.name);
}

TEST_CASE("each log is recognised among all forms by itself")
{
    for (const Example& sample : samples()) {
        Recogniser recogniser(formats());
        for (const std::string& line : shownLines(sample.log))
            recogniser.read(line);
        REQUIRE_MESSAGE(recogniser.best(), sample.name);
        CHECK_MESSAGE(recogniser.best()->name == formatOf(sample).name, sample.name);
        CHECK_MESSAGE(!recogniser.second(), sample.name, " is also ",
                      recogniser.second() ? recogniser.second()->name : "");
    }
}

/// Reads a loss of the Trainer at every `every`-th step up to `last`, and DeepSpeed's rate at every fiftieth. Returns
/// whether the form is still open.
static bool staysOpen(Recogniser& recogniser, int every, int last)
{
    bool isOpen = true;
    for (int step = every; isOpen && step <= last; step += every) {
        isOpen = recogniser.read(
            fmt::format("{{'loss': 2.{}, 'grad_norm': 1.25, 'learning_rate': 4e-05, 'epoch': 0.1}}", step));
        if (isOpen && step % 50 == 0)
            isOpen = recogniser.read(
                fmt::format("[2026-11-21 00:41:{0:02},936] [INFO] [timer.py:260:stop] epoch=0/micro_step={1}/"
                            "global_step={1}, RunningAvgSamplesPerSec=200.5, CurrSamplesPerSec=223.875",
                            step / 10, step));
    }
    return isOpen;
}

TEST_CASE("of a run that was cut before the Trainer printed its time, DeepSpeed's lines decide, however few they are")
{
    Recogniser recogniser(formats());
    REQUIRE(staysOpen(recogniser, 10, 200));
    REQUIRE(recogniser.best());
    CHECK(recogniser.best()->name == "deepspeed");
    CHECK(recogniser.second()->name == "huggingface");
}

TEST_CASE("the time that the Trainer prints at its end decides for it, behind a hundred losses and DeepSpeed's rates")
{
    Recogniser recogniser(formats());
    REQUIRE(staysOpen(recogniser, 1, 150));
    recogniser.read("{'train_runtime': 120.5, 'train_samples_per_second': 199.17, 'train_steps_per_second': 1.245, "
                    "'train_loss': 2.31, 'epoch': 0.1}");
    REQUIRE(recogniser.best());
    CHECK(recogniser.best()->name == "huggingface");
    CHECK(recogniser.second()->name == "deepspeed");
}

TEST_CASE("records that give a rate decide alone, and losses do not")
{
    Recogniser rates(formats()), losses(formats());
    for (std::uint64_t n = 1; n <= kRecordsAlone; ++n) {
        CHECK(rates.read(fmt::format("Iter #{}: 107.5 img/sec per GPU", n)) == (n < kRecordsAlone));
        CHECK(losses.read(fmt::format("{{'loss': 2.{}, 'grad_norm': 1.25, 'learning_rate': 4e-05, 'epoch': 0.1}}", n)));
    }
    CHECK(rates.best()->name == "horovod");
}

TEST_CASE("every pattern reads a line of some log")
{
    for (const LogFormat& format : formats())
        for (const LineForm& form : format.lines) {
            const bool isUsed = std::any_of(samples().begin(), samples().end(), [&](const Example& sample) {
                if (&formatOf(sample) != &format)
                    return false;
                LogFormat one{.name = "one", .title = "One", .lines = {form}};
                return contentOf(one, sample.log).linesRead > 0;
            });
            CHECK_MESSAGE(isUsed, format.name, ": ", form.pattern.text());
        }
}

TEST_CASE("a log that is cut at any byte has a part of its records, and no other")
{
    for (const Example& sample : samples()) {
        const LogSettings given = givenIn(sample.expected);
        const LogContent whole = contentOf(formatOf(sample), sample.log, given);
        std::vector<const LogRecord*> known;
        for (const LogRun& run : whole.runs)
            for (const LogLane& lane : run.lanes)
                for (const auto* records : {&lane.records, &lane.epochs})
                    for (const LogRecord& record : *records)
                        known.push_back(&record);
        const auto isKnown = [&](const LogRecord& record) {
            return std::any_of(known.begin(), known.end(), [&](const LogRecord* other) {
                return record.line == other->line && record.iteration == other->iteration &&
                       (!record.itemRate || record.itemRate == other->itemRate) &&
                       (!record.loss || record.loss == other->loss);
            });
        };
        for (std::size_t length = 0; length < sample.log.size(); ++length) {
            std::size_t count = 0;
            for (const LogRun& run : contentOf(formatOf(sample), sample.log.substr(0, length), given).runs)
                for (const LogLane& lane : run.lanes)
                    for (const auto* records : {&lane.records, &lane.epochs})
                        for (const LogRecord& record : *records) {
                            ++count;
                            REQUIRE_MESSAGE(isKnown(record), sample.name, " cut at byte ", length);
                        }
            REQUIRE(count <= known.size());
        }
    }
}

TEST_CASE("ranks with tags interleave in any way and give the same runs")
{
    constexpr int kRanks = 3;
    for (const Example& sample : samples()) {
        const auto lines = shownLines(sample.log);
        if (std::any_of(lines.begin(), lines.end(),
                        [](std::string_view line) { return takeRankTag(line).has_value(); }))
            continue; // has its own tags
        std::vector<std::vector<std::string>> printed(kRanks);
        for (std::size_t rank = 0; rank < kRanks; ++rank)
            for (const std::string& line : lines)
                printed[rank].push_back(fmt::format("[1,{}]<stdout>:{}\n", rank, line));
        const LogContent one = contentOf(formatOf(sample), joined(printed[0], ""));
        for (unsigned seed = 1; seed <= 5; ++seed) {
            std::mt19937 random(seed);
            const LogContent tagged = contentOf(formatOf(sample), interleaved(printed, random));
            CAPTURE(sample.name);
            CAPTURE(seed);
            REQUIRE(tagged.runs.size() == one.runs.size());
            for (std::size_t run = 0; run < one.runs.size(); ++run) {
                REQUIRE(tagged.runs[run].lanes.size() == one.runs[run].lanes.size() * kRanks);
                for (const LogLane& lane : tagged.runs[run].lanes)
                    CHECK(
                        std::any_of(one.runs[run].lanes.begin(), one.runs[run].lanes.end(), [&](const LogLane& other) {
                            return areEqual(lane.records, other.records) && areEqual(lane.epochs, other.epochs);
                        }));
            }
        }
    }
}

TEST_CASE("a log after itself holds its runs twice")
{
    for (const Example& sample : samples()) {
        const LogContent once = contentOf(formatOf(sample), sample.log);
        const LogContent twice = contentOf(formatOf(sample), sample.log + sample.log);
        CAPTURE(sample.name);
        const bool hasPlaces = std::all_of(once.runs.begin(), once.runs.end(), [](const LogRun& run) {
            return std::all_of(run.lanes.begin(), run.lanes.end(), [](const LogLane& lane) {
                const auto& records = lane.records.empty() ? lane.epochs : lane.records;
                return records.front().iteration || records.front().epoch;
            });
        });
        if (hasPlaces)
            CHECK(twice.runs.size() == 2 * once.runs.size());
    }
}

namespace {

std::vector<Sample> samplesOf(std::string_view format, const std::string& log, KnownOfRun known)
{
    LineSamples lines(formatNamed(format), known);
    LineSplitter splitter([&](std::uint64_t number, std::string_view line, bool) { lines.read(number, line, 1); });
    splitter.feed(textOf(test::sourceFolder() / "tests/logs/formats" / log));
    splitter.finish();
    return lines.take(2, true);
}

std::vector<std::uint32_t> seqsOf(const std::vector<Sample>& samples)
{
    std::vector<std::uint32_t> seqs;
    for (const Sample& sample : samples)
        seqs.push_back(sample.seq);
    return seqs;
}

} // namespace

TEST_CASE("lines of Caffe and MXNet are samples of as many iterations as they cover")
{
    using Seqs = std::vector<std::uint32_t>;
    const auto caffe = samplesOf("caffe", "caffe.bvlc.log", {.batchPerRank = 64});
    CHECK(seqsOf(caffe) == Seqs{20, 40, 60, 80, 100, 120}); // the first line's rate is garbage
    for (const Sample& sample : caffe) {
        CHECK(sample.iterations == 20);
        CHECK(sample.items == 20 * 64);
    }
    CHECK(caffe[1].lengthNs() == doctest::Approx(88e6).epsilon(0.001));
    CHECK(caffe[5].loss == 1.8f);

    const auto mxnet = samplesOf("mxnet", "mxnet.old.log", {.batchPerRank = 32, .ranks = 2});
    CHECK(seqsOf(mxnet) == Seqs{39, 59, 79}); // how many the first line covers is not known
    for (const Sample& sample : mxnet) {
        CHECK(sample.iterations == 20);
        CHECK(sample.ofRanks == 1);
        CHECK(sample.items == 640);
    }
    CHECK(mxnet[0].lengthNs() == doctest::Approx(640 / 541.5 * 1e9));
    CHECK(std::isnan(mxnet[0].loss)); // its name is another one there
}
