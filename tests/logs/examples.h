// SPDX-License-Identifier: MIT
// Logs beside the tests, forms of lines, and reading a log from memory.
#pragma once

#include "core/base/files.h"
#include "core/logs/content.h"
#include "core/logs/format.h"
#include "core/logs/lines.h"
#include "core/logs/linkreader.h"
#include "core/logs/nametags.h"
#include "core/logs/reader.h"
#include "tests/support/built.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::test {

inline std::string textOf(const fs::path& file)
{
    auto text = readFile(file);
    REQUIRE_MESSAGE(text, file.string());
    return std::move(*text);
}

struct Example
{
    std::string name; ///< "caffe.old": of the form “caffe”
    std::string log;
    std::string expected; ///< the text file beside it

    std::string_view form() const { return std::string_view(name).substr(0, name.find('.')); }
};

/// Returns the examples of tests/logs/FOLDER, by their names.
inline std::vector<Example> examplesIn(const char* folder)
{
    std::vector<Example> made;
    for (const auto& entry : fs::directory_iterator(sourceFolder() / "tests" / "logs" / folder))
        if (entry.path().extension() == ".log")
            made.push_back({entry.path().stem().string(), textOf(entry.path()),
                            textOf(fs::path(entry.path()).replace_extension(".txt"))});
    std::ranges::sort(made, {}, &Example::name);
    return made;
}

/// As a reader is given them: a bar that counts several times has several.
inline std::vector<std::string> shownLines(std::string_view log)
{
    std::vector<std::string> lines;
    logs::LineSplitter splitter([&](std::uint64_t, std::string_view line, bool) { lines.emplace_back(line); });
    splitter.feed(log);
    splitter.finish();
    return lines;
}

inline logs::LineForm lineForm(std::string_view pattern, logs::Meaning meaning = logs::Meaning::interval,
                               logs::Scope scope = logs::Scope::rank)
{
    auto parsed = logs::LinePattern::parse(pattern);
    REQUIRE_MESSAGE(parsed, parsed.error().message);
    return {*parsed, meaning, scope};
}

/// Returns a log into which all ranks print: the lines of each in their order.
inline std::string interleaved(const std::vector<std::vector<std::string>>& linesOfRanks, std::mt19937& random)
{
    std::size_t left = 0;
    for (const auto& lines : linesOfRanks)
        left += lines.size();
    std::vector<std::size_t> printed(linesOfRanks.size());
    std::string log;
    while (left > 0) {
        const std::size_t rank = random() % printed.size();
        if (printed[rank] == linesOfRanks[rank].size())
            continue;
        log += linesOfRanks[rank][printed[rank]++];
        --left;
    }
    return log;
}

/// "rate against time"
inline std::string wordsOf(logs::FindingCode code)
{
    std::string words(nameOf(code));
    std::ranges::replace(words, '_', ' ');
    return words;
}

/// As imports read a log: through the names of its tags to the reader of its form, of lines or of tables of links.
inline logs::LogContent contentOf(const logs::LogFormat& format, std::string_view log, logs::LogSettings given = {})
{
    const auto readBy = [&](auto reader) {
        const auto read = [&](std::uint64_t number, std::string_view line, bool isWhole) {
            reader.read(number, line, isWhole);
        };
        logs::NameTags tags(format, read, given);
        logs::LineSplitter splitter(
            [&](std::uint64_t number, std::string_view line, bool isWhole) { tags.read(number, line, isWhole); });
        splitter.feed(log);
        splitter.finish();
        logs::LogContent content = reader.finish();
        tags.nameRanks(content);
        return content;
    };
    return format.links ? readBy(logs::LinkReader(format, given)) : readBy(logs::LogReader(format, given));
}

/// Items per second of each rank's second record.
using Rates = std::map<int, double>;

/// By rank; -1: none.
inline Rates ratesIn(const logs::LogRun& run)
{
    Rates rates;
    for (const logs::LogLane& lane : run.lanes)
        rates[lane.rank.value_or(-1)] = lane.records.at(1).itemRate.value_or(0);
    return rates;
}

} // namespace ringside::test
