// SPDX-License-Identifier: MIT
// The forms of resources/links on tables in tests/logs/links: NAME.VARIANT.log is read as NAME, and what was read is
// NAME.VARIANT.txt.
#include "core/adapters/linktoml.h"
#include "core/adapters/logformats.h"
#include "core/logs/linkreader.h"
#include "core/logs/recognise.h"
#include "tests/logs/examples.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace ringside;
using namespace ringside::logs;
using test::contentOf, test::Example, test::examplesIn, test::shownLines, test::textOf, test::wordsOf;

namespace {

const LogFormat& formatNamed(std::string_view name)
{
    const auto& forms = adapters::linkFormats();
    const auto found =
        std::find_if(forms.begin(), forms.end(), [&](const LogFormat& form) { return form.name == name; });
    REQUIRE_MESSAGE(found != forms.end(), name);
    return *found;
}

const LogFormat& formatOf(const Example& example)
{
    return formatNamed(example.form());
}

const std::vector<Example>& samples()
{
    static const std::vector<Example> all = examplesIn("links");
    return all;
}

std::string countText(const std::optional<std::int64_t>& count)
{
    return count ? std::to_string(*count) : "-";
}

std::string toText(const LinkTable& table)
{
    std::string text = fmt::format(
        "table of lines {} to {}: {}, memory {}, backend {}, {} ranks, {} nodes{}{}, {} rows, {} refused\n",
        table.firstLine, table.lastLine, nameOf(table.operation), nameOf(table.memory),
        table.backend.empty() ? "-" : table.backend, countText(table.ranks), countText(table.nodes),
        table.isOfSlowest ? ", slowest" : "", table.places > 1 ? ", in place" : "", table.rows, table.refused);
    for (const LinkTime& time : table.times)
        text +=
            fmt::format("  line {}: {} B in {:.5g} us\n", time.line, time.message.bytes, time.message.seconds * 1e6);
    return text;
}

std::string toText(const LogContent& content)
{
    std::string text = fmt::format("{} of {} lines\n", content.linesRead, content.lines);
    for (const LinkTable& table : content.tables)
        text += toText(table);
    for (const Finding& finding : content.findings)
        text += fmt::format("finding: {}, line {}, {:.5g} against {:.5g}, {} times\n", wordsOf(finding.code),
                            finding.line, finding.printed, finding.against, finding.count);
    return text;
}

const LogFormat* recognised(const std::vector<LogFormat>& formats, std::string_view log, bool second = false)
{
    Recogniser recogniser(formats);
    for (const std::string& line : shownLines(log))
        recogniser.read(line);
    return second ? recogniser.second() : recogniser.best();
}

std::uint64_t countOf(const LogContent& content, FindingCode code)
{
    const auto found = std::find_if(content.findings.begin(), content.findings.end(),
                                    [&](const Finding& finding) { return finding.code == code; });
    return found == content.findings.end() ? 0 : found->count;
}

constexpr const char* kNcclTitles = "#       size         count      type   redop    root     time   algbw   busbw "
                                    "#wrong     time   algbw   busbw #wrong\n";

} // namespace

TEST_CASE("every form of links that Ringside brings is right, and has tables")
{
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(test::sourceFolder() / "resources" / "links")) {
        const auto read = adapters::readLinkForm(textOf(entry.path()));
        REQUIRE_MESSAGE(read.form, entry.path().string(), ": ",
                        read.checks.empty() ? "" : spec::toText(read.checks.front()));
        CHECK(read.form->name == entry.path().stem());
        const bool hasSample = std::any_of(samples().begin(), samples().end(), [&](const Example& sample) {
            return formatOf(sample).name == read.form->name;
        });
        CHECK_MESSAGE(hasSample, read.form->name);
        ++files;
    }
    CHECK(files == adapters::linkFormats().size());
    CHECK(files >= 3);
}

TEST_CASE("a form that is none says where and why")
{
    const std::string head = "format = 1\nname = \"a\"\ntitle = \"A\"\ntitles = [\"# Size\"]\n";
    const auto first = [](const std::string& toml) {
        const auto read = adapters::readLinkForm(toml);
        REQUIRE(!read.form);
        return spec::toText(read.checks.front());
    };
    CHECK(first(head).find("“columns” is missing") != std::string::npos);
    CHECK(first(head + "[[columns]]\ntitle = \"Size\"\nholds = \"byte\"\n").find("line 7") != std::string::npos);
    CHECK(first(head + "[[columns]]\nholds = \"bytes\"\n").find("“title” is missing") != std::string::npos);
    CHECK(first(head + "[[columns]]\ntitle = \"Size\"\n[[heads]]\npattern = \"a\"\n").find("at least 3") !=
          std::string::npos);
    CHECK(first(head + "[[columns]]\ntitle = \"Size\"\n[ranks]\npattern = \"# Rank\"\n").find("which rank") !=
          std::string::npos);
}

TEST_CASE("tables of links are read as they should be")
{
    CHECK(samples().size() >= 10);
    for (const Example& sample : samples()) {
        const std::string read = toText(contentOf(formatOf(sample), sample.log));
        CHECK_MESSAGE(read == sample.expected, sample.name, ":\n", read);
    }
}

TEST_CASE("tables and logs of training are told apart")
{
    const std::vector<LogFormat> all = adapters::logFormatsOf(adapters::AdapterBook("/nonexistent"));
    CHECK(all.size() > 20);
    CHECK(Recogniser(all).step() >= 2); // as fast as it is without tables
    for (const Example& sample : samples()) {
        const LogFormat* found = recognised(all, sample.log);
        REQUIRE_MESSAGE(found, sample.name);
        CHECK_MESSAGE(found->name == formatOf(sample).name, sample.name);
        CHECK_MESSAGE(!recognised(all, sample.log, true), sample.name);
    }
    for (const Example& training : examplesIn("formats")) {
        const LogFormat* found = recognised(all, training.log);
        REQUIRE_MESSAGE(found, training.name);
        CHECK_MESSAGE(!found->links, training.name);
        CHECK_MESSAGE(!recognised(all, training.log, true), training.name);
    }
}

TEST_CASE("a table that is cut at any byte has a part of its rows, and no other")
{
    for (const Example& sample : samples()) {
        const LogContent whole = contentOf(formatOf(sample), sample.log);
        std::vector<LinkTime> known;
        for (const LinkTable& table : whole.tables)
            known.insert(known.end(), table.times.begin(), table.times.end());
        for (std::size_t length = 0; length < sample.log.size(); length += 1 + length % 5) {
            const LogContent part = contentOf(formatOf(sample), sample.log.substr(0, length));
            for (const LinkTable& table : part.tables)
                for (const LinkTime& time : table.times)
                    REQUIRE_MESSAGE(std::any_of(known.begin(), known.end(),
                                                [&](const LinkTime& other) {
                                                    return time.line == other.line && time.message == other.message;
                                                }),
                                    sample.name, " cut at byte ", length);
        }
    }
}

TEST_CASE("processes whose lines have tags print tables of their own")
{
    const Example& sample =
        *std::find_if(samples().begin(), samples().end(), [](const Example& each) { return each.name == "osu.full"; });
    std::string log;
    for (std::size_t at = 0; at < sample.log.size();) {
        const std::size_t end = sample.log.find('\n', at);
        for (int rank = 0; rank < 2; ++rank)
            log += fmt::format("[1,{}]<stdout>:{}\n", rank, sample.log.substr(at, end - at));
        at = end + 1;
    }
    const LogContent once = contentOf(formatOf(sample), sample.log), both = contentOf(formatOf(sample), log);
    REQUIRE(both.tables.size() == 2);
    REQUIRE(once.tables.size() == 1);
    CHECK(both.tables[0].times.size() == once.tables[0].times.size());
    CHECK(both.tables[1].times.size() == once.tables[0].times.size());
}

TEST_CASE("without a head the user's ranks and the bus bandwidth show an all-reduce, and nothing else does")
{
    const std::string row = "     4194304       1048576     float     sum      -1    90.50   46.35   69.52      0    "
                            "88.20   47.55   71.33      0\n";
    const std::string small = "           8             2     float     sum      -1    20.50    0.00    0.00      0    "
                              "20.20    0.00    0.00      0\n";
    const LogFormat& format = formatNamed("nccl-tests");
    const auto given = [](std::int64_t ranks) {
        LogSettings settings;
        settings.ranks = ranks;
        return settings;
    };
    const LogContent right = contentOf(format, kNcclTitles + small + row, given(4));
    REQUIRE(right.tables.size() == 1);
    CHECK(right.tables[0].operation == TableOf::allReduce);
    CHECK(right.tables[0].times.size() == 2);
    CHECK(right.findings.empty());
    const LogContent wrong = contentOf(format, kNcclTitles + row, given(16));
    CHECK(wrong.tables.empty());
    CHECK(countOf(wrong, FindingCode::busAgainstRate) == 1);
    CHECK(countOf(wrong, FindingCode::operationUnclear) == 1);
    CHECK(contentOf(format, kNcclTitles + small, given(4)).tables.empty()); // 0.00 may be anything
    const LogContent unknown = contentOf(format, kNcclTitles + row);
    REQUIRE(unknown.tables.size() == 1); // asked for its ranks
    CHECK_FALSE(unknown.tables[0].ranks);
    const std::string broadcast =
        "     4194304       1048576     float    none       0    90.50   46.35   46.35      0    "
        "88.20   47.55   47.55      0\n";
    CHECK(countOf(contentOf(format, kNcclTitles + broadcast, given(4)), FindingCode::otherOperation) == 1);
}

TEST_CASE("rates differ by no more than 2 % beyond what was rounded")
{
    const std::string head =
        "# Collective test starting: all_reduce_perf\n# Rank 0 Group 0 Pid 1 on a device 0 [0x07] X\n"
        "# Rank 1 Group 0 Pid 1 on a device 1 [0x08] X\n" +
        std::string(kNcclTitles);
    const auto refused = [&](const char* rate) {
        const LogContent content = contentOf(
            formatNamed("nccl-tests"),
            head + fmt::format("1000000 250000 float sum -1 1000.0 {} {} N/A 1000.0 1.00 1.00 N/A\n", rate, rate));
        REQUIRE(content.tables.size() == 1);
        return content.tables[0].refused == 1;
    };
    CHECK_FALSE(refused("1.00"));
    CHECK_FALSE(refused("1.02"));
    CHECK_FALSE(refused("0.98"));
    CHECK(refused("1.04"));
    CHECK(refused("0.96"));
}

TEST_CASE("hostile tables cost bounded memory, and what is left out is counted")
{
    const LogFormat& osu = formatNamed("osu");
    std::string rows = "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n";
    for (std::size_t row = 0; row < 3 * kMostTableRows; ++row)
        rows += fmt::format("{} 1.5\n", row + 1);
    const LogContent long_ = contentOf(osu, rows);
    REQUIRE(long_.tables.size() == 1);
    CHECK(long_.tables[0].times.size() == kMostTableRows);
    CHECK(countOf(long_, FindingCode::tooManyRows) == 2 * kMostTableRows);

    std::string many;
    for (std::size_t table = 0; table < kMostTables + 5; ++table)
        many += "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n4 1.5\n";
    const LogContent full = contentOf(osu, many);
    CHECK(full.tables.size() == kMostTables);
    CHECK(countOf(full, FindingCode::tooManyTables) == 5);

    std::string odd = "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n";
    odd += "4 nan\n4 -1\n4 1e300\n4 1e-300\n99999999999999999999 1.5\n4 1.5 7\n4 0.00\n16 1.5\n";
    const LogContent left = contentOf(osu, odd);
    REQUIRE(left.tables.size() == 1);
    CHECK(left.tables[0].times.size() == 1);
    CHECK(countOf(left, FindingCode::rowsUnread) == 7);

    std::string ranks = "# Collective test starting: all_reduce_perf\n";
    for (std::size_t rank = 0; rank < kMostTableRanks + 10; ++rank)
        ranks += fmt::format("#  Rank {} Group  0 Pid 1 on host{} device 0 [0x07] X\n", rank, rank);
    const LogContent told =
        contentOf(formatNamed("nccl-tests"), ranks + kNcclTitles + "4 1 float sum -1 1.5 0 0 0 1.5 0 0 0\n");
    CHECK(countOf(told, FindingCode::tooManyRanks) == 10);
    REQUIRE(told.tables.size() == 1);
    CHECK_FALSE(told.tables[0].ranks);
    CHECK(contentOf(osu, "# Size " + std::string(60'000, 'x') + "\n4 1\n").tables.empty());
}
