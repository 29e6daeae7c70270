// SPDX-License-Identifier: MIT
#include "core/logs/lines.h"
#include "core/logs/ranktag.h"
#include "tests/logs/examples.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

using namespace ringside::logs;
using ringside::test::shownLines;

namespace {

using Lines = std::vector<std::string>;

/// The lines of a log that comes in pieces of so many bytes.
Lines linesOf(std::string_view log, std::size_t piece = 1 << 20)
{
    Lines lines;
    LineSplitter splitter([&](std::uint64_t number, std::string_view line, bool) {
        CHECK(number == lines.size() + 1);
        lines.emplace_back(line);
    });
    for (std::size_t at = 0; at < log.size(); at += piece)
        splitter.feed(log.substr(at, piece));
    splitter.finish();
    return lines;
}

std::pair<int, std::string> tagged(std::string_view line)
{
    const auto rank = takeRankTag(line);
    return {rank.value_or(-1), std::string(line)};
}

} // namespace

TEST_CASE("lines are the same in whatever pieces a log comes")
{
    const std::string log = "one\ntwo\r\n\nbar 1/3\rbar 2/3\rbar 3/3\n\x1b[32mgreen\x1b[0m\nno end";
    const Lines expected{"one", "two", "", "bar 3/3", "green", "no end"};
    for (const std::size_t piece : {1u, 2u, 3u, 7u, 1000u})
        CHECK(linesOf(log, piece) == expected);
}

TEST_CASE("a byte order mark is no part of the first line")
{
    for (const std::size_t piece : {1u, 2u, 1000u})
        CHECK(linesOf("\xef\xbb\xbf[1,3]<stdout>:one\n\xef\xbb\xbftwo\n", piece) ==
              Lines{"[1,3]<stdout>:one", "\xef\xbb\xbftwo"});
    CHECK(linesOf("\xef\xbb\xbf") == Lines{""});
    CHECK(linesOf("\xef\xbbone\n") == Lines{"\xef\xbbone"});
    CHECK(linesOf("\n\xef\xbb\xbfone\n") == Lines{"", "\xef\xbb\xbfone"});
}

TEST_CASE("a bar shows its last state, behind the tag that its launcher wrote once")
{
    CHECK(linesOf("[1,0]<stdout>:\r1/2 [=.]\r2/2 [==]\n") == Lines{"[1,0]<stdout>:2/2 [==]"});
    CHECK(linesOf(" 5%\b\b\b50%\b\b\b99%\n") == Lines{"99%"});
    CHECK(linesOf("é\b\b\bdone\n") == Lines{"done"});
}

namespace {

/// As tqdm draws it with Lightning's calls: at 100 % it is drawn again, and then counts the next epoch on the same
/// line.
std::string barOfEpochs(int epochs, int batches)
{
    std::string bar = "\rTraining: 0it [00:00, ?it/s]";
    for (int epoch = 0; epoch < epochs; ++epoch) {
        for (int batch = 0; batch <= batches; ++batch)
            bar += fmt::format("\rEpoch {}: {:3}%|#####| {}/{} [00:01<00:00, {}.5it/s]", epoch, 100 * batch / batches,
                               batch, batches, epoch + batch % 7);
        bar += fmt::format("\rEpoch {0}: 100%|#####| {1}/{1} [00:01<00:00, 9.{0}it/s]", epoch, batches);
    }
    return bar + '\n';
}

} // namespace

TEST_CASE("a bar that counts several times on one line shows the end of each count, however long the line is")
{
    for (const int batches : {4, 3'000})
        for (const std::size_t piece : {1u, 7u, 4'096u, 1u << 20}) {
            std::vector<std::pair<std::uint64_t, std::string>> lines;
            LineSplitter splitter([&](std::uint64_t number, std::string_view line, bool isWhole) {
                CHECK(isWhole);
                lines.emplace_back(number, line);
            });
            const std::string log = "before\n[1,0]<stdout>:" + barOfEpochs(3, batches) + "behind\n";
            for (std::size_t at = 0; at < log.size(); at += piece)
                splitter.feed(std::string_view(log).substr(at, piece));
            REQUIRE(lines.size() == 5);
            for (std::size_t epoch = 0; epoch < 3; ++epoch)
                CHECK(lines[epoch + 1] ==
                      std::pair(std::uint64_t{2}, fmt::format("[1,0]<stdout>:Epoch {0}: 100%|#####| {1}/{1} "
                                                              "[00:01<00:00, 9.{0}it/s]",
                                                              epoch, batches)));
            CHECK(lines[4].first == 3);
            CHECK(splitter.cutLines() == 0);
        }
}

TEST_CASE("a bar that something else is drawn over, or that is cut, shows no count twice and none that has not ended")
{
    CHECK(shownLines("\r 50%|##  | 1/2\r100%|####| 2/2\r            \rdone\n") == Lines{"done"});
    CHECK(shownLines("\r100%|####| 2/2\r    \r  0%|    | 0/2\n") == Lines{"100%|####| 2/2", "  0%|    | 0/2"});
    const std::string log = barOfEpochs(2, 4);
    for (std::size_t length = 1; length < log.size(); ++length) {
        Lines lines = shownLines(log.substr(0, length));
        lines.pop_back(); // it has no end
        CHECK((lines.empty() || lines == Lines{"Epoch 0: 100%|#####| 4/4 [00:01<00:00, 9.0it/s]"}));
    }
}

TEST_CASE("a bar without an end costs no more memory than a line")
{
    std::string log;
    for (int i = 0; i < 20'000; ++i)
        log += "\rstep " + std::to_string(i) + " of 20000, and a text that makes it longer";
    CHECK(linesOf(log + "\n", 4096) == Lines{"step 19999 of 20000, and a text that makes it longer"});
}

TEST_CASE("a line that is too long is cut and counted, and the next one is read")
{
    std::vector<std::size_t> lengths;
    LineSplitter splitter([&](std::uint64_t, std::string_view line, bool isWhole) {
        lengths.push_back(line.size());
        CHECK(isWhole == (line.size() < kMostLineBytes));
    });
    const std::string piece(1'000'000, 'x');
    for (int i = 0; i < 50; ++i)
        splitter.feed(piece);
    splitter.feed("\nnext\n");
    splitter.finish();
    CHECK(lengths == std::vector<std::size_t>{kMostLineBytes, 4});
    CHECK(splitter.cutLines() == 1);
}

TEST_CASE("a last line without an end is not whole")
{
    std::vector<bool> whole;
    LineSplitter splitter([&](std::uint64_t, std::string_view, bool isWhole) { whole.push_back(isWhole); });
    splitter.feed("one\ntw");
    splitter.feed("o\nthr");
    splitter.finish();
    CHECK(whole == std::vector<bool>{true, true, false});
}

TEST_CASE("tags of launchers name the rank")
{
    using Tagged = std::pair<int, std::string>;
    CHECK(tagged("[1,3]<stdout>:loss") == Tagged{3, "loss"});
    CHECK(tagged("[1,12]<stderr>:loss") == Tagged{12, "loss"});
    CHECK(tagged("[2]<stdout>:loss") == Tagged{2, "loss"});
    CHECK(tagged("[0] loss") == Tagged{0, "loss"});
    CHECK(tagged("3: loss") == Tagged{3, "loss"});
    CHECK(tagged("  3: loss") == Tagged{3, "loss"});
    CHECK(tagged("[rank1]:loss") == Tagged{1, "loss"});
    CHECK(tagged("[default5]:loss") == Tagged{5, "loss"});
    CHECK(tagged("MPI Rank 7: loss") == Tagged{7, "loss"});
    CHECK(tagged("[0]<stdout>:Iter #0: 1.5[0]<stdout>:") == Tagged{0, "Iter #0: 1.5"});
    CHECK(tagged("[prterun-birch02-48213@1,3]<stdout>: loss") == Tagged{3, "loss"});
    CHECK(tagged("[prun.birch.192,0]<stderr>:  loss") == Tagged{0, " loss"});
    CHECK(tagged("[1,2][birch02:48213]<stdout>: loss") == Tagged{2, "loss"});
    CHECK(tagged("[1,mpirank:5,algo-2]<stdout>:loss") == Tagged{5, "loss"});
    CHECK(tagged("[1,mpirank:0,algo-1]<stderr>:loss") == Tagged{0, "loss"});
    CHECK(tagged("10/10 - 1s") == Tagged{-1, "10/10 - 1s"});
    CHECK(tagged("10\timages/sec: 3") == Tagged{-1, "10\timages/sec: 3"});
    CHECK(tagged("[99999999999999]<stdout>:x") == Tagged{-1, "[99999999999999]<stdout>:x"});
    CHECK(tagged("[99999999]<stdout>:x") == Tagged{99'999'999, "x"});
    CHECK(tagged("[100000000]<stdout>:x") == Tagged{-1, "[100000000]<stdout>:x"}); // stands for a name
    CHECK(tagged(namedTag(100'000'000) + "x") == Tagged{100'000'000, "x"});
    CHECK(tagged("[named 3] x") == Tagged{-1, "[named 3] x"});
    for (const char* line :
         {"[,3]<stdout>: x", "[a b,3]<stdout>: x", "[a,]<stdout>: x", "[INFO] x", "[1,3][]<stdout>: x"})
        CHECK(tagged(line) == Tagged{-1, line});
}

TEST_CASE("a stamp of what carried the output is no part of the line, nor of the tag behind it")
{
    using Tagged = std::pair<int, std::string>;
    CHECK(tagged("2026-05-04T09:30:03.000481903Z Batch size: 32") == Tagged{-1, "Batch size: 32"});
    CHECK(tagged("2026-05-04T09:30:03+02:00 [1,3]<stdout>:loss") == Tagged{3, "loss"});
    CHECK(tagged("May 04 09:30:03 Batch size: 32") == Tagged{-1, "Batch size: 32"});
    CHECK(tagged("May 04 09:30:03   2: loss") == Tagged{2, "loss"});
    CHECK(tagged("May 04 09:30:03 ") == Tagged{-1, ""});
    for (const char* line : {"2026-05-04T09:30:03.5Zx", "2026-05-04T09:30:03.5 x", "2026-05-04T09:30:03",
                             "Mai 04 09:30:03 x", "May 04 09:30 x", "May 04 09:30:03", "2026-05-04 09:30:03 x"})
        CHECK(tagged(line) == Tagged{-1, line});
    CHECK(linesOf("May 04 09:30:03 bar 1/3\rbar 2/3\n") == Lines{"May 04 09:30:03 bar 2/3"});
}
