// SPDX-License-Identifier: MIT
#include "core/spec/levels.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::spec;

namespace {

/// Levels, then errors in brackets: "1, 2 [“x” at 6: …]".
std::string printedLevels(const char* key, std::string_view text)
{
    const LevelList list = parseLevels(*findSetting(key), text, {"one", "buckets"});
    std::string printed = levelsToText(list.levels);
    for (const LevelError& error : list.errors)
        printed += " [" + error.text + " at " + std::to_string(error.position) + ": " + error.message + "]";
    return printed;
}

} // namespace

TEST_CASE("levels are read as people type them")
{
    const struct
    {
        const char* key;
        std::string typed;
        std::string levels;
    } table[] = {
        {"ranks", "1, 2, 4", "1, 2, 4"},
        {"ranks", " [1,2 ;4,] ", "1, 2, 4"},
        {"ranks", "1..16*2", "1, 2, 4, 8, 16"},
        {"ranks", "1..20*2", "1, 2, 4, 8, 16"},
        {"ranks", "1..4, 8", "1, 2, 3, 4, 8"},
        {"ranks", "2..8+3", "2, 5, 8"},
        {"ranks", "3..3", "3"},
        {"ranks", "4, 2..4, 4", "4, 2, 3"},
        {"ranks", "", ""},
        {"model", "alexnet, \"lenet\"", "alexnet, lenet"},
        {"plan", "one, buckets", "one, buckets"},
        {"learning_rate", "0.1, 1, 1e-3", "0.1, 1, 0.001"},
        {"data_path", "/pictures/2026", "/pictures/2026"},
    };
    for (const auto& row : table) {
        CAPTURE(row.typed);
        CHECK(printedLevels(row.key, row.typed) == row.levels);
    }
}

TEST_CASE("a wrong level is named where it stands, the others are kept")
{
    CHECK(printedLevels("precision", "fp32, fp8") ==
          "fp32 [fp8 at 6: “fp8” is not known. Known: fp32, bf16 and fp16.]");
    CHECK(printedLevels("model", "alexnt, lenet") == "lenet [alexnt at 0: “alexnt” is not known. Did you mean "
                                                     "“alexnet”? Known: alexnet, googlenet, inceptionv3, resnet18, "
                                                     "resnet50, resnet101, resnet152, vgg16, lenet, gpt2 and lstm.]");
    CHECK(printedLevels("plan", "bucket") ==
          " [bucket at 0: “bucket” is not known. Did you mean “buckets”? Known: one and buckets.]");
    CHECK(printedLevels("ranks", "1, 0") == "1 [0 at 3: expected a whole number from 1 to 65,536, found “0”.]");
    CHECK(printedLevels("ranks", "two") == " [two at 0: expected a whole number from 1 to 65,536, found “two”.]");
    CHECK(printedLevels("ranks", "1, 2.0") ==
          "1 [2.0 at 3: expected a whole number from 1 to 65,536, found “2.0”. Write 2.]");
    CHECK(printedLevels("ranks", "8..1") == " [8..1 at 0: “8..1”: The first number is not below the last.]");
    CHECK(printedLevels("ranks", "1..8*1") == " [1..8*1 at 0: “1..8*1”: Multiply from 1 or more, by 2 or more.]");
    CHECK(printedLevels("ranks", "1..") == " [1.. at 0: “1..” is no range. Write 1..8, 2..8+2 or 1..16*2.]");
    CHECK(printedLevels("ranks", "1..x").find("is no range") != std::string::npos);
}

TEST_CASE("ranges end, however far they reach")
{
    const Setting& ranks = *findSetting("ranks");
    CHECK(parseLevels(ranks, "1..9223372036854775807").levels.size() == kMaxLevels);
    CHECK(parseLevels(ranks, "1..9223372036854775807*2").levels.size() == 17); // up to 65,536
    CHECK(parseLevels(ranks, "9223372036854775806..9223372036854775807+9223372036854775807").errors.size() == 1);
    CHECK(parseLevels(ranks, "1..9223372036854775807").errors.size() == 1);
}

TEST_CASE("text and levels convert both ways")
{
    const std::vector<Value> levels = {0.1, 1.0, 0.0001};
    CHECK(parseLevels(*findSetting("learning_rate"), levelsToText(levels)).levels == levels);
    const Setting& path = *findSetting("data_path");
    for (const std::string text : {"/pictures/a, b", "/pictures/a;b", "/pictures/[64]", "/pictures/ends]",
                                   "/pictures/ ", "/pictures/\"x\"", "/pictures/\\\"", "/pictures/'", "/plain"}) {
        CAPTURE(text);
        const std::vector<Value> two = {text, std::string("/other")};
        CHECK(parseLevels(path, levelsToText(two)).levels == two);
    }
}

TEST_CASE("a level in quotes is whole, and quotes that do not close are none")
{
    CHECK(printedLevels("model", R"(["alexnet", "lenet"])") == "alexnet, lenet");
    CHECK(printedLevels("data_path", R"("/a, b", /c)") == R"("/a, b", /c)");
    CHECK(printedLevels("data_path", R"("/a, /b)") == "/a, /b");
    CHECK(printedLevels("model", R"("alexnet" x)").find("[alexnet\" x at 1") != std::string::npos);
}
