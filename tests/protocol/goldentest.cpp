// SPDX-License-Identifier: MIT
// Files of each format, as the first version to write it wrote them: they stay readable, and the same values stay the
// same bytes.
#include "core/base/files.h"
#include "tests/protocol/examples.h"
#include "tests/support/built.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace ringside::test {

namespace {

std::string golden(const char* name)
{
    const auto bytes = readFile(sourceFolder() / "tests/protocol/golden" / name);
    REQUIRE_MESSAGE(bytes, name);
    return *bytes;
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

TEST_CASE("golden spool with the times of layers")
{
    const std::string bytes = golden("rank-1-layers.spool");
    std::vector<Record> records;
    SpoolReader reader;
    REQUIRE(reader.feed(bytes, [&](const Record& record) { records.push_back(record); }));
    CHECK(records == exampleLayerRecords());
    CHECK(exampleSpool(exampleLayerRecords()) == bytes);
}

TEST_CASE("golden spool of a rank that reports how it stands to the others")
{
    const std::string bytes = golden("rank-1-communication.spool");
    std::vector<Record> records;
    SpoolReader reader;
    REQUIRE(reader.feed(bytes, [&](const Record& record) { records.push_back(record); }));
    CHECK(records == exampleCommunicationRecords());
    CHECK(exampleSpool(exampleCommunicationRecords()) == bytes);
}

TEST_CASE("golden spool of a rank that reports only some of the phases")
{
    const std::string bytes = golden("rank-1-told.spool");
    std::vector<Record> records;
    SpoolReader reader;
    REQUIRE(reader.feed(bytes, [&](const Record& record) { records.push_back(record); }));
    CHECK(records == exampleToldRecords());
    CHECK(exampleSpool(exampleToldRecords()) == bytes);
}

TEST_CASE("golden spool of a program that reports several iterations at a time")
{
    const std::string bytes = golden("rank-1-intervals.spool");
    std::vector<Record> records;
    SpoolReader reader;
    REQUIRE(reader.feed(bytes, [&](const Record& record) { records.push_back(record); }));
    CHECK(records == exampleIntervalRecords());
    CHECK(exampleSpool(exampleIntervalRecords()) == bytes);
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

TEST_CASE("golden plan with a run that has been attempted before")
{
    const std::string text = golden("plan-attempts.json");
    const auto plan = planFromJson(text);
    REQUIRE(plan);
    CHECK(*plan == exampleAttemptsPlan());
    CHECK(planToJson(*plan) == text);
    CHECK(plan->runs[0].attempts == 0); // absent
}

TEST_CASE("golden plan with every later part")
{
    const std::string text = golden("plan-parts.json");
    const auto plan = planFromJson(text);
    REQUIRE_MESSAGE(plan, plan.error().message);
    CHECK(*plan == examplePartsPlan());
    CHECK(text.find("\"format\":1,") != std::string::npos);
    CHECK(plan->runs[1].processes() == 5);
}

TEST_CASE("golden plan of format 3: what runs beside the ranks is a role")
{
    const std::string text = golden("plan-roles.json");
    const auto plan = planFromJson(text);
    REQUIRE_MESSAGE(plan, plan.error().message);
    CHECK(*plan == examplePartsPlan());
    CHECK(planToJson(*plan) == text);
    CHECK(text.find("\"format\":3,") != std::string::npos);
    CHECK(plan->runs[1].processes() == 5);
    CHECK(plan->runs[1].plan.servers == 3);
    CHECK(plan->runs[1].plan.serverPlacement == Placement::own);
    std::string without = text;
    const std::string roles = R"("roles":[{"count":3,"name":"server","placement":"own"}],)";
    without.replace(without.find(roles), roles.size(), R"("roles":[],)");
    CHECK_FALSE(planFromJson(without));
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

TEST_CASE("golden plan of format 4: a system says whole how it is started and read")
{
    const std::string text = golden("plan-system.json");
    const auto plan = planFromJson(text);
    REQUIRE_MESSAGE(plan, plan.error().message);
    CHECK(*plan == exampleSystemPlan());
    CHECK(planToJson(*plan) == text);
    CHECK(text.find("\"format\":4,") != std::string::npos);
}

TEST_CASE("golden plan of format 5: a process may be several ranks")
{
    const std::string text = golden("plan-several-ranks.json");
    const auto plan = planFromJson(text);
    REQUIRE_MESSAGE(plan, plan.error().message);
    CHECK(*plan == exampleSeveralRanksPlan());
    CHECK(planToJson(*plan) == text);
    CHECK(text.find("\"format\":5,") != std::string::npos);
}

TEST_CASE("golden facts")
{
    const std::string text = golden("facts.json");
    const auto facts = factsFromJson(text);
    REQUIRE(facts);
    CHECK(*facts == exampleFacts());
    CHECK(factsToJson(*facts) == text);
}

TEST_CASE("golden facts of a calibration")
{
    const std::string text = golden("facts-calibration.json");
    const auto facts = factsFromJson(text);
    REQUIRE_MESSAGE(facts, facts.error().message);
    CHECK(*facts == exampleCalibrationFacts());
    CHECK(factsToJson(*facts) == text);
    CHECK(facts->calibration->link(LinkLevel::nodes, LinkOperation::allReduce)->ranks == 2);
    CHECK_FALSE(facts->calibration->link(LinkLevel::nodes, LinkOperation::pingPong));
}

TEST_CASE("golden facts of a calibration of GPUs")
{
    const std::string text = golden("facts-calibration-gpu.json");
    const auto facts = factsFromJson(text);
    REQUIRE_MESSAGE(facts, facts.error().message);
    CHECK(*facts == exampleGpuCalibrationFacts());
    CHECK(factsToJson(*facts) == text);
    CHECK(facts->calibration->link(LinkLevel::node, LinkOperation::allReduce)->inGpuMemory);
    CHECK_FALSE(facts->calibration->link(LinkLevel::node, LinkOperation::pingPong)->inGpuMemory);
}

TEST_CASE("golden spool with canaries")
{
    const std::string bytes = golden("rank-1-canary.spool");
    std::vector<Record> records;
    SpoolReader reader;
    REQUIRE(reader.feed(bytes, [&](const Record& record) { records.push_back(record); }));
    CHECK(records == exampleCanaryRecords());
    CHECK(exampleSpool(exampleCanaryRecords()) == bytes);
}

TEST_CASE("golden spool with the foreign load of a rank's cores")
{
    const std::string bytes = golden("rank-1-cores.spool");
    std::vector<Record> records;
    SpoolReader reader;
    REQUIRE(reader.feed(bytes, [&](const Record& record) { records.push_back(record); }));
    CHECK(records == exampleCoresRecords());
    CHECK(exampleSpool(exampleCoresRecords()) == bytes);
}

TEST_CASE("golden spool with what a rank uses of its own cores")
{
    const std::string bytes = golden("rank-1-own-cores.spool");
    std::vector<Record> records;
    SpoolReader reader;
    REQUIRE(reader.feed(bytes, [&](const Record& record) { records.push_back(record); }));
    CHECK(records == exampleOwnCoresRecords());
    CHECK(exampleSpool(exampleOwnCoresRecords()) == bytes);
}

TEST_CASE("golden spool of a rank on a GPU")
{
    const std::string bytes = golden("rank-1-gpu.spool");
    std::vector<Record> records;
    SpoolReader reader;
    REQUIRE(reader.feed(bytes, [&](const Record& record) { records.push_back(record); }));
    CHECK(records == exampleGpuRecords());
    CHECK(exampleSpool(exampleGpuRecords()) == bytes);
}

TEST_CASE("a calibration that makes no sense is refused by its field")
{
    nlohmann::json json = toJson(*exampleGpuCalibrationFacts().calibration);
    REQUIRE(calibrationFromJson(json));
    const auto refusal = [&](const char* pointer, const nlohmann::json& value) {
        nlohmann::json changed = json;
        changed[nlohmann::json::json_pointer(pointer)] = value;
        const auto read = calibrationFromJson(changed);
        return read ? std::string("accepted") : read.error().message;
    };
    CHECK(refusal("/format", 2).find("format") != std::string::npos);
    CHECK(refusal("/ranks", 0).find("ranks") != std::string::npos);
    CHECK(refusal("/gemm_flops/median", -1).find("median") != std::string::npos);
    CHECK(refusal("/links/0/level", "moon").find("level") != std::string::npos);
    CHECK(refusal("/links/0/times/1/seconds", "fast").find("seconds") != std::string::npos);
    CHECK(refusal("/links/0/segments/0/s_per_byte", -1e-9).find("s_per_byte") != std::string::npos);
    CHECK(refusal("/links/1/memory", "tape").find("memory") != std::string::npos);
    CHECK(refusal("/gpu/tf32_flops/median", -1).find("tf32_flops") != std::string::npos);
    CHECK(refusal("/backend", 7).find("backend") != std::string::npos);
}

TEST_CASE("golden facts with layers")
{
    const std::string text = golden("facts-layers.json");
    const auto facts = factsFromJson(text);
    REQUIRE(facts);
    CHECK(*facts == exampleLayerFacts());
    CHECK(factsToJson(*facts) == text);
}

TEST_CASE("golden journal whose reasons are codes")
{
    const std::string text = golden("journal-reasons");
    std::vector<JournalEvent> events;
    JournalReader reader;
    REQUIRE(reader.feed(text, [&](const JournalEvent& event) { events.push_back(event); }));
    CHECK(events == exampleReasonedEvents());
    CHECK(exampleJournal() == text);
}

TEST_CASE("golden journal of a version before codes")
{
    const std::string text = golden("journal");
    std::vector<JournalEvent> events;
    JournalReader reader;
    REQUIRE(reader.feed(text, [&](const JournalEvent& event) { events.push_back(event); }));
    CHECK(events == exampleEvents());
}

} // namespace ringside::test
