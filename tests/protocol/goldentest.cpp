// SPDX-License-Identifier: MIT
// Files of each format, as the first version to write it wrote them: they stay readable, and the same values stay the
// same bytes.
#include "core/base/files.h"
#include "tests/protocol/examples.h"

#include <doctest/doctest.h>

namespace ringside::test {

namespace {

std::string golden(const char* name)
{
    return *readFile(fs::path(RINGSIDE_SOURCE) / "tests/protocol/golden" / name);
}

} // namespace

TEST_CASE("golden spool")
{
    const std::string bytes = golden("rank-1.spool");
    std::vector<Record> records;
    SpoolReader reader;
    REQUIRE(reader.feed(bytes, [&](const Record& record) { records.push_back(record); }));
    CHECK(reader.header() == exampleHeader());
    CHECK(records == exampleRecords());
    CHECK(reader.offset() == bytes.size());
    CHECK(exampleSpool() == bytes);
}

TEST_CASE("golden spool of a rank on another host")
{
    const std::string bytes = golden("rank-1-clock.spool");
    std::vector<Record> records;
    SpoolReader reader;
    REQUIRE(reader.feed(bytes, [&](const Record& record) { records.push_back(record); }));
    CHECK(records == exampleClockRecords());
    CHECK(exampleSpool(exampleClockRecords()) == bytes);
}

TEST_CASE("golden plan")
{
    const std::string text = golden("plan.json");
    const auto plan = planFromJson(text);
    REQUIRE(plan);
    CHECK(*plan == examplePlan());
    CHECK(planToJson(*plan) == text);
}

TEST_CASE("golden plan for several nodes")
{
    const std::string text = golden("plan-nodes.json");
    const auto plan = planFromJson(text);
    REQUIRE(plan);
    CHECK(*plan == exampleNodesPlan());
    CHECK(planToJson(*plan) == text);
    CHECK(plan->runs[1].nodes() == 2);
    CHECK(plan->runs[1].ranksPerNode() == 1);
}

TEST_CASE("golden plan with every later part")
{
    const std::string text = golden("plan-parts.json");
    const auto plan = planFromJson(text);
    REQUIRE_MESSAGE(plan, plan.error().message);
    CHECK(*plan == examplePartsPlan());
    CHECK(planToJson(*plan) == text);
    CHECK(text.find("\"format\":1,") != std::string::npos);
}

TEST_CASE("golden plan of format 2")
{
    const std::string text = golden("plan-2.json");
    const auto plan = planFromJson(text);
    REQUIRE_MESSAGE(plan, plan.error().message);
    CHECK(*plan == exampleCompressedPlan());
    CHECK(planToJson(*plan) == text);
    CHECK(text.find("\"format\":2,") != std::string::npos);
}

TEST_CASE("golden facts")
{
    const std::string text = golden("facts.json");
    const auto facts = factsFromJson(text);
    REQUIRE(facts);
    CHECK(*facts == exampleFacts());
    CHECK(factsToJson(*facts) == text);
}

TEST_CASE("golden journal")
{
    const std::string text = golden("journal");
    std::vector<JournalEvent> events;
    JournalReader reader;
    REQUIRE(reader.feed(text, [&](const JournalEvent& event) { events.push_back(event); }));
    CHECK(events == exampleEvents());
    CHECK(exampleJournal() == text);
}

} // namespace ringside::test
