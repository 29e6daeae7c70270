// SPDX-License-Identifier: MIT
#include "core/base/words.h"

#include <doctest/doctest.h>
#include <thread>

namespace ringside {

namespace {

/// A program that speaks another language, until the end of the test.
struct Speaking
{
    explicit Speaking(Words::Translator translator) { Words::setTranslator(translator); }
    ~Speaking() { Words::setTranslator(nullptr); }
};

std::string german(std::string_view text, std::string_view, int)
{
    return text == "Ranks" ? "Ränge" : text == "{} nodes" ? "{} Knoten" : std::string(text);
}

std::string nodes(std::uint64_t count)
{
    return Words::counted("{} nodes", "{} node", count);
}

/// One, a few (2 to 4, but not 12 to 14), many.
std::string polish(std::string_view text, std::string_view singular, int count)
{
    if (text != "{} nodes" || singular != "{} node")
        return std::string(text);
    const int last = count % 10, lastTwo = count % 100;
    const bool few = last >= 2 && last <= 4 && (lastTwo < 12 || lastTwo > 14);
    return count == 1 ? "{} węzeł" : few ? "{} węzły" : "{} węzłów";
}

} // namespace

TEST_CASE("without a translator texts are English")
{
    CHECK(Words::tr("Every combination is excluded.") == "Every combination is excluded.");
    CHECK(Words::tr("{} has {} of {:.1f}.", "it", 3, 2.5) == "it has 3 of 2.5.");
    CHECK(Words::translated(Words::noop("Batch per rank")) == "Batch per rank");
    CHECK(Words::translated("") == "");
    CHECK(Words::translated(Words::noop("{0} of {1}"), 3, "eight") == "3 of eight");
    CHECK(Words::translated(Words::noop("{0} alone"), 3, "eight") == "3 alone");
}

TEST_CASE("English knows one and many")
{
    CHECK(nodes(0) == "0 nodes");
    CHECK(nodes(1) == "1 node");
    CHECK(nodes(2) == "2 nodes");
    CHECK(nodes(12480) == "12,480 nodes");
    const auto give = [](int runs) { return Words::counted("{} give no {}", "{} gives no {}", runs, "interval"); };
    CHECK(give(1) == "1 gives no interval");
    CHECK(give(5) == "5 give no interval");
}

TEST_CASE("another language has its own order of the arguments")
{
    const Speaking german([](std::string_view text, std::string_view, int count) -> std::string {
        CHECK(count < 0);
        return text == "cannot {} {}" ? "{1} nicht {0}" : text == "Ranks" ? "Ränge" : std::string(text);
    });
    CHECK(Words::tr("cannot {} {}", "lesbar", "/x") == "/x nicht lesbar");
    CHECK(Words::translated(Words::noop("Ranks")) == "Ränge");
    CHECK(Words::tr("not yet translated: {}", 7) == "not yet translated: 7");
}

TEST_CASE("another language has its own plural forms")
{
    const Speaking other(polish);
    CHECK(nodes(1) == "1 węzeł");
    CHECK(nodes(2) == "2 węzły");
    CHECK(nodes(5) == "5 węzłów");
    CHECK(nodes(12) == "12 węzłów");
    CHECK(nodes(3'000'000'022) == "3,000,000,022 węzły"); // more than an int holds: the last digits decide
}

TEST_CASE("what is stored is English while the window speaks another language")
{
    const Speaking other(german);
    const auto ranks = [] { return Words::tr("Ranks") + ", " + Words::translated("Ranks") + ", " + nodes(2); };
    {
        const Words::InEnglish english;
        CHECK(ranks() == "Ranks, Ranks, 2 nodes");
        {
            const Words::InEnglish within;
        }
        CHECK(ranks() == "Ranks, Ranks, 2 nodes");
        std::string elsewhere;
        std::thread([&] { elsewhere = ranks(); }).join();
        CHECK(elsewhere == "Ränge, Ränge, 2 Knoten"); // another thread may speak to the user meanwhile
    }
    CHECK(ranks() == "Ränge, Ränge, 2 Knoten");
}

TEST_CASE("a plural that is not translated is English, with its singular")
{
    const Speaking unfinished([](std::string_view text, std::string_view, int) { return std::string(text); });
    CHECK(nodes(1) == "1 node");
    CHECK(nodes(2) == "2 nodes");
}

TEST_CASE("a translation whose placeholders do not fit is not used")
{
    for (const char* broken : {"{} und {}", "{", "{1}", "{:d}", "{name}"}) {
        static std::string answer;
        answer = broken;
        const Speaking slip([](std::string_view, std::string_view, int) { return answer; });
        CHECK(Words::tr("{} is no setting.", "rank") == "rank is no setting.");
        CHECK(nodes(1) == "1 node");
    }
}

} // namespace ringside
