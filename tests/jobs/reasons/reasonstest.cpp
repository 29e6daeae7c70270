// SPDX-License-Identifier: MIT
// The one place that holds the sentences of reasons: sentences.txt, a reason as JSON and below it what people read.
#include "core/base/files.h"
#include "core/base/words.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/jobs/reasons/sentences.h"
#include "core/protocol/jobstate.h"
#include "tests/support/built.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <doctest/doctest.h>
#include <map>
#include <regex>
#include <sstream>

using namespace ringside;

namespace {

struct Example
{
    Reason reason;
    std::string json, sentence;
};

std::vector<Example> examples()
{
    std::istringstream lines(*readFile(test::sourceFolder() / "tests/jobs/reasons/sentences.txt"));
    std::vector<Example> found;
    for (std::string json, sentence; std::getline(lines, json) && std::getline(lines, sentence);)
        found.push_back({reasonFromText(json), json, sentence.substr(std::min<std::size_t>(4, sentence.size()))});
    return found;
}

/// The clock of a place with another time than UTC.
class BerlinTime
{
public:
    BerlinTime() { set("Europe/Berlin"); }
    ~BerlinTime() { set("UTC"); }

private:
    static void set(const char* zone)
    {
        ::setenv("TZ", zone, 1);
        ::tzset();
    }
};

} // namespace

TEST_CASE("each reason has its sentence")
{
    const BerlinTime here;
    REQUIRE(examples().size() > 60);
    for (const Example& example : examples()) {
        CAPTURE(example.json);
        CHECK(toText(example.reason) == example.json);
        CHECK(jobs::sentenceOf(example.reason) == example.sentence);
    }
}

TEST_CASE("the examples have every code, and every state of a job, and none is shown in place of its sentence")
{
    std::map<std::string, std::string> shown;
    for (const Example& example : examples())
        shown[example.reason.code] = shown[example.reason.word("state")] = example.sentence;
    const std::string header = *readFile(test::sourceFolder() / "core/protocol/reason.h");
    const std::regex constant("string_view k\\w+ = \"(\\w+)\"");
    int codes = 0;
    for (std::sregex_iterator code(header.begin(), header.end(), constant), end; code != end; ++code, ++codes) {
        CAPTURE((*code)[1].str());
        CHECK(shown.contains((*code)[1]));
        CHECK(shown[(*code)[1]] != (*code)[1]);
    }
    CHECK(codes > 30);
    for (int state = 0; state <= static_cast<int>(JobState::bootFail); ++state)
        CHECK_MESSAGE(shown.contains(std::string(nameOf(static_cast<JobState>(state)))), state);
}

TEST_CASE("when a job is expected to start is said by the clock here, unless that is over")
{
    const BerlinTime here;
    const std::int64_t second = 1'000'000'000, noon = 1'795'345'200 * second; // 2026-11-22 12:00
    const auto said = [&](std::int64_t startNs) {
        const Reason reason = because(why::kJob, {{"scheduler", "slurm"},
                                                  {"job", "4711"},
                                                  {"state", "pending"},
                                                  {"word", "Resources"},
                                                  {"starts_ns", startNs}});
        return jobs::jobSentence(reason, noon);
    };
    CHECK(said(noon + 5 * 3'600 * second) == "Job 4711: Waits for free nodes. Slurm expects it to start at 17:00.");
    CHECK(said(noon + 12 * 3'600 * second - second) ==
          "Job 4711: Waits for free nodes. Slurm expects it to start at 23:59.");
    CHECK(said(noon + 12 * 3'600 * second) ==
          "Job 4711: Waits for free nodes. Slurm expects it to start at 2026-11-23 00:00.");
    for (const std::int64_t startNs : {std::int64_t{-1}, std::int64_t{0}, noon - second, noon})
        CHECK(said(startNs) == "Job 4711: Waits for free nodes.");
}

TEST_CASE("whatever is said of it, a reason has a sentence of plain text")
{
    for (const Example& example : examples()) {
        Reason bare{example.reason.code}, wrong = bare, hostile = bare;
        for (const auto& [argument, value] : example.reason.about) {
            const bool isNumber = std::holds_alternative<std::int64_t>(value);
            wrong.add(argument, isNumber ? Reason::Argument("x") : Reason::Argument(std::int64_t{-1}));
            hostile.add(argument, isNumber ? Reason::Argument(INT64_MIN) : Reason::Argument("\x1b[31m\xff{}{1}"));
        }
        for (const Reason& reason : {bare, wrong, hostile}) {
            const std::string sentence = jobs::sentenceOf(reason);
            CAPTURE(sentence);
            CHECK(sentence.empty() == reason.empty());
            CHECK(sentence.find("  ") == std::string::npos);
            CHECK(std::ranges::none_of(sentence, [](char c) { return c > 0 && c < ' '; }));
        }
    }
}

TEST_CASE("a sentence is put together in the user's language")
{
    Words::setTranslator([](std::string_view text, std::string_view, int) {
        return text == "{} was ended from outside." ? std::string("Von außen beendet: {}.")
               : text == "Rank {}"                  ? std::string("Rang {}")
                                                    : std::string(text);
    });
    CHECK(jobs::sentenceOf(because(why::kEndedOutside, {{"rank", 3}})) == "Von außen beendet: Rang 3.");
    CHECK(jobs::sentenceOf(because(why::kSignal, {{"rank", 3}, {"signal", 9}})) ==
          "Rang 3 was ended by signal 9 (Killed).");
    Words::setTranslator(nullptr);
}
