// SPDX-License-Identifier: MIT
#include "core/base/placeholders.h"

#include <doctest/doctest.h>
#include <map>

using namespace ringside;

namespace {

PlaceholderValue from(const std::map<std::string, std::string>& values)
{
    return [&values](std::string_view name) -> std::optional<std::string> {
        const auto found = values.find(std::string(name));
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
}

const std::map<std::string, std::string> kValues{{"rank", "3"}, {"odd", "{rank}"}, {"empty", ""}};

} // namespace

TEST_CASE("values take the places of names")
{
    CHECK(filled("--rank={rank}", from(kValues)) == "--rank=3");
    CHECK(filled("{rank}{rank}", from(kValues)) == "33");
    CHECK(filled("", from(kValues)) == "");
    CHECK(filled("[{empty}]", from(kValues)) == "[]");
    CHECK(filled(R"({{"index": {rank}}})", from(kValues)) == R"({"index": 3})");
    CHECK(placeholdersOf("{a} {{b}} {c}{a}") == std::vector<std::string>{"a", "c", "a"});
}

TEST_CASE("a value is not read again, at once or later")
{
    CHECK(filled("{odd}", from(kValues)) == "{rank}");
    const std::string later = partlyFilled("{odd} {port} {{x}}", from(kValues));
    CHECK(later == "{{rank}} {port} {{x}}");
    CHECK(filled(later, from({{"port", "7"}})) == "{rank} 7 {x}");
}

TEST_CASE("braces that do not match and names without a value are errors that say where")
{
    for (const char* wrong : {"{", "a}", "{a", "{a{b}}", "}{", "{{}"}) {
        CAPTURE(wrong);
        CHECK_FALSE(placeholdersOf(wrong));
        CHECK_FALSE(filled(wrong, from(kValues)));
        CHECK(partlyFilled(wrong, from(kValues)) == wrong);
    }
    CHECK(placeholdersOf("ab}").error().message == "“ab}”, column 3: this brace closes nothing.");
    CHECK(filled("{rnk}", from(kValues)).error().message == "“{rnk}”: there is no value for “rnk”.");
}

TEST_CASE("a text is nothing but one name in braces, or something else")
{
    CHECK(onlyPlaceholder("{nodes}") == "nodes");
    for (const char* other : {"", "nodes", "{}", "{a}{b}", "{a} ", "{{a}}", "{a"})
        CHECK_FALSE(onlyPlaceholder(other));
}
