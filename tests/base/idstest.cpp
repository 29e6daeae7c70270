// SPDX-License-Identifier: MIT
#include "core/base/ids.h"

#include <doctest/doctest.h>
#include <set>

namespace ringside {

TEST_CASE("random ids are canonical, of version 4, and differ")
{
    std::set<RunId> seen;
    for (int i = 0; i < 1000; ++i) {
        const RunId id = RunId::random();
        CHECK(isUuid(id.str()));
        CHECK(id.str()[14] == '4');
        CHECK(std::string("89ab").find(id.str()[19]) != std::string::npos);
        CHECK(seen.insert(id).second);
    }
}

TEST_CASE("only the canonical form is an id")
{
    const std::string good = "0f8fad5b-d9cb-469f-a165-70867728950e";
    REQUIRE(RunId::parse(good));
    CHECK(RunId::parse(good)->str() == good);
    for (const char* bad : {"", "0F8FAD5B-D9CB-469F-A165-70867728950E", "0f8fad5bd9cb469fa16570867728950e",
                            "0f8fad5b-d9cb-469f-a165-70867728950", "0f8fad5b-d9cb-469f-a165-70867728950e0",
                            "../../..-d9cb-469f-a165-70867728950e", "{f8fad5b-d9cb-469f-a165-70867728950}"})
        CHECK(RunId::parse(bad).error().code == ErrorCode::damaged);
    CHECK(RunId{}.empty());
}

} // namespace ringside
