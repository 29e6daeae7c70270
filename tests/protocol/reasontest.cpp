// SPDX-License-Identifier: MIT
#include "core/protocol/reason.h"
#include "core/protocol/jsonfields.h"

#include <doctest/doctest.h>

using namespace ringside;

TEST_CASE("a reason reads back as it was written")
{
    Reason reason = because(why::kExit, {{"rank", 3}, {"host", "n7"}, {"said", "it said “no”\nand \"never\""}});
    CHECK(reasonFromText(toText(reason)) == reason);
    reason = becauseOf(Error{ErrorCode::io, "Cannot read.", "Try again."});
    CHECK(reason.text == "Cannot read. Try again.");
    CHECK(reasonFromText(toText(reason)) == reason);
    CHECK(toText(Reason{}).empty());
    CHECK(reasonFromText("").empty());
}

TEST_CASE("an argument that says nothing is left out")
{
    Reason reason = because(why::kSilent, {{"rank", 0}, {"host", ""}});
    CHECK(toText(reason) == R"({"code":"silent","rank":0})");
    CHECK(reason.number("rank") == 0);
    CHECK_FALSE(reason.number("host"));
    CHECK(reason.word("rank").empty());
}

TEST_CASE("what is no reason is the text of one")
{
    for (const char* text :
         {"Waits for free nodes.", "{", "{\"code\":7}", "{\"code\":\"No Code\"}", "[1]", "{\"text\":[]}"})
        CHECK(reasonFromText(text) == Reason{{}, {}, text});
    CHECK_FALSE(reasonFromJson(nlohmann::json::array()));
    CHECK_FALSE(reasonFromJson({{"code", "No Code"}}));
}

TEST_CASE("what only a later version knows is left out, and there is an end to what is taken")
{
    nlohmann::json json = {{"code", "later"}, {"rank", 1},  {"list", {1, 2}},
                           {"half", 0.5},     {"Upper", 1}, {"long", std::string(9999, 'x')}};
    const auto reason = reasonFromJson(json);
    REQUIRE(reason);
    CHECK(reason->about.size() == 2);
    CHECK(reason->word("long").size() == 2000);
    for (int i = 0; i < 100; ++i)
        json["argument_" + std::to_string(i)] = i;
    CHECK(reasonFromJson(json)->about.size() == 16);
}
