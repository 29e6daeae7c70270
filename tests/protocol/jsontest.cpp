// SPDX-License-Identifier: MIT
// plan.json, facts.json and their parts: exact numbers, and refusals that name the field.
#include "core/protocol/facts.h"
#include "core/protocol/plan.h"
#include "tests/protocol/examples.h"

#include <doctest/doctest.h>
#include <functional>
#include <nlohmann/json.hpp>

namespace ringside::test {

namespace {

using Json = nlohmann::json;
using Edit = std::function<void(Json&)>;

Error refusalOf(const Edit& edit)
{
    Json json = Json::parse(planToJson(examplePlan()));
    edit(json);
    const auto plan = planFromJson(json.dump());
    REQUIRE_FALSE(plan);
    return plan.error();
}

struct Refusal
{
    const char* field;
    Edit edit;
};

} // namespace

TEST_CASE("64-bit numbers survive exactly")
{
    for (const std::uint64_t seed : {std::uint64_t{0}, (std::uint64_t{1} << 53) + 1, UINT64_MAX}) {
        CampaignPlan plan = examplePlan();
        plan.runs[0].seed = seed;
        plan.runs[0].settings["seed"] = static_cast<std::int64_t>(seed >> 1);
        plan.runs[0].settings["rate"] = 0.1 + 0.2;
        CHECK(planFromJson(planToJson(plan)) == plan);
    }
}

TEST_CASE("a refused plan names the field")
{
    const Refusal refusals[] = {
        {"hosts", [](Json& j) { j["hosts"] = {"-oProxyCommand=x"}; }},
        {"hosts", [](Json& j) { j["hosts"] = {"a,b"}; }},
        {"hosts", [](Json& j) { j["hosts"] = "n1"; }},
        {"launch_prefix", [](Json& j) { j["launch_prefix"] = {""}; }},
        {"launch_prefix", [](Json& j) { j["launch_prefix"] = {std::string("a\0b", 3)}; }},
        {"nodes", [](Json& j) { j["runs"][0]["settings"]["nodes"] = 0; }},
        {"campaign", [](Json& j) { j["campaign"] = "../../etc"; }},
        {"store", [](Json& j) { j.erase("store"); }},
        {"launcher", [](Json& j) { j["launcher"] = 3; }},
        {"worker", [](Json& j) { j["worker"] = "ringside-worker"; }},
        {"data_folder", [](Json& j) { j["data_folder"] = 7; }},
        {"time_limit_s", [](Json& j) { j["time_limit_s"] = 0; }},
        {"runs", [](Json& j) { j["runs"] = Json::object(); }},
        {"runs[1]", [](Json& j) { j["runs"][1] = 3; }},
        {"runs[1]: id", [](Json& j) { j["runs"][1]["id"] = j["runs"][0]["id"]; }},
        {"runs[0]: kind", [](Json& j) { j["runs"][0]["kind"] = "walk"; }},
        {"runs[0]: repeat", [](Json& j) { j["runs"][0]["repeat"] = 0; }},
        {"runs[0]: iterations", [](Json& j) { j["runs"][0]["iterations"] = 1.5; }},
        {"runs[0]: warmup", [](Json& j) { j["runs"][0]["warmup"] = 14; }},
        {"runs[0]: seed", [](Json& j) { j["runs"][0]["seed"] = -1; }},
        {"runs[0]: settings: model", [](Json& j) { j["runs"][0]["settings"]["model"] = nullptr; }},
        {"runs[0]: settings: ranks", [](Json& j) { j["runs"][0]["settings"]["ranks"] = 0; }},
        {"bucket_cap_bytes", [](Json& j) { j["runs"][1]["plan"]["bucket_cap_bytes"] = 0; }},
        {"collective", [](Json& j) { j["runs"][1]["plan"]["collective"] = "gossip"; }},
    };
    for (const auto& [field, edit] : refusals) {
        const Error error = refusalOf(edit);
        INFO(error.message);
        CHECK(error.code == ErrorCode::damaged);
        CHECK(error.message.find(field) != std::string::npos);
    }
}

TEST_CASE("a refused part of an aggregation plan is named")
{
    const auto refuse = [](const CampaignPlan& plan, std::size_t run, const char* member, const Json& value) {
        Json json = Json::parse(planToJson(plan));
        REQUIRE(json["runs"][run]["plan"].contains(member));
        json["runs"][run]["plan"][member] = value;
        const auto read = planFromJson(json.dump());
        REQUIRE_FALSE(read);
        CHECK(read.error().code == ErrorCode::damaged);
        CHECK(read.error().message.find(member) != std::string::npos);
    };
    refuse(examplePartsPlan(), 0, "fusion_threshold_bytes", 0);
    refuse(examplePartsPlan(), 0, "fusion_cycle_us", -1);
    refuse(examplePartsPlan(), 1, "asynchronous", 2);
    CampaignPlan older = examplePartsPlan(); // servers in the plan itself
    older.runs[1].roles.clear();
    refuse(older, 1, "servers", 0);
    refuse(older, 1, "server_placement", "elsewhere");
    refuse(examplePartsPlan(), 2, "bucket_count", 0);
    refuse(examplePartsPlan(), 2, "chunk_bytes", 0);
    refuse(exampleCompressedPlan(), 1, "compression", "gzip");
    refuse(exampleCompressedPlan(), 4, "topk_ppm", 1'000'001);
}

TEST_CASE("a refused role is named")
{
    const auto refuse = [](const char* member, const Json& value) {
        Json json = Json::parse(planToJson(examplePartsPlan()));
        json["runs"][1]["roles"][0][member] = value;
        const auto read = planFromJson(json.dump());
        REQUIRE_FALSE(read);
        CHECK(read.error().code == ErrorCode::damaged);
        CHECK(read.error().message.find("runs[1]: roles[0]: " + std::string(member)) != std::string::npos);
    };
    refuse("name", "a b");
    refuse("name", "");
    refuse("count", 0);
    refuse("count", 1'000'001);
    refuse("placement", "elsewhere");
    refuse("duty", "rests");
}

TEST_CASE("the duty of a role goes with its plan")
{
    CampaignPlan plan = examplePartsPlan();
    plan.runs[1].roles.push_back({"chief", 1, Placement::shared, Duty::leads});
    const auto read = planFromJson(planToJson(plan));
    REQUIRE(read);
    CHECK(read->runs[1].roles == plan.runs[1].roles);
}

TEST_CASE("how many ranks a process is goes with its run, in a format of its own")
{
    CampaignPlan plan = examplePlan();
    CHECK(Json::parse(planToJson(plan))["format"] < kPlanFormat);
    plan.runs[1].ranksPerProcess = 4;
    const std::string text = planToJson(plan);
    CHECK(planFromJson(text) == plan);
    CHECK(text == Json::parse(text).dump());
    CHECK(Json::parse(text)["format"] == kPlanFormat);
    Json json = Json::parse(text);
    json["runs"][1]["ranks_per_process"] = 0;
    CHECK(planFromJson(json.dump()).error().message.find("ranks_per_process") != std::string::npos);
}

TEST_CASE("a calibrated cost goes with its run, and is refused by name")
{
    CampaignPlan plan = examplePlan();
    plan.runs[1].calibratedCost =
        CalibratedCost{7, 1'700'000'000'000'000'000, "mpi: ob1", {{4096, 1e-5, 1.0 / 3}, {1 << 20, 0, 2e-10}}};
    CHECK(planFromJson(planToJson(plan)) == plan);
    CHECK(planFromJson(planToJson(plan)) != examplePlan());
    const auto refusal = [&](const Edit& edit) {
        Json json = Json::parse(planToJson(plan));
        edit(json["runs"][1]["calibrated_cost"]);
        const auto read = planFromJson(json.dump());
        REQUIRE_FALSE(read);
        return read.error().message;
    };
    CHECK(refusal([](Json& cost) { cost["segments"] = Json::array(); }).find("segments") != std::string::npos);
    CHECK(refusal([](Json& cost) { cost["run"] = 0; }).find("run") != std::string::npos);
    CHECK(refusal([](Json& cost) { cost["segments"][0]["latency_s"] = -1; }).find("latency_s") != std::string::npos);
}

TEST_CASE("runs of one configuration are written each as it is")
{
    CampaignPlan plan = examplePlan();
    plan.runs.push_back(plan.runs[0]);
    plan.runs.back().id = RunId::random();
    plan.runs.back().settings["batch_per_rank"] = std::int64_t{48};
    plan.runs.push_back(plan.runs[0]);
    plan.runs.back().id = RunId::random();
    plan.runs.back().plan.name += " of another name";
    plan.runs.push_back(plan.runs[0]);
    plan.runs.back().id = RunId::random();
    const std::string text = planToJson(plan);
    CHECK(planFromJson(text) == plan);
    CHECK(text == Json::parse(text).dump()); // members in the order of their names
}

TEST_CASE("a newer format is told apart from damage")
{
    CHECK(refusalOf([](Json& j) { j["format"] = kPlanFormat + 1; }).code == ErrorCode::newerVersion);
    CHECK(refusalOf([](Json& j) { j["format"] = 0; }).code == ErrorCode::damaged);
    CHECK(refusalOf([](Json& j) { j.erase("format"); }).code == ErrorCode::damaged);
}

TEST_CASE("unknown members are ignored")
{
    Json json = Json::parse(planToJson(examplePlan()));
    json["colour"] = "blue";
    json["runs"][0]["container"] = Json{{"image", "x"}};
    CHECK(planFromJson(json.dump()) == examplePlan());
}

TEST_CASE("text that is no plan is refused, whatever it is")
{
    for (const char* text : {"", "{", "[]", "null", "\xff", "{\"format\":1e400}"})
        CHECK(planFromJson(text).error().code == ErrorCode::damaged);
    CHECK_FALSE(planFromJson(std::string(1'000'000, '[')));
    CHECK_FALSE(planFromJson(std::string(kMaxPlanBytes + 1, ' ')));
}

TEST_CASE("every prefix of a plan is refused")
{
    const std::string text = planToJson(examplePlan());
    for (std::size_t cut = 0; cut < text.size(); ++cut)
        REQUIRE_FALSE(planFromJson(text.substr(0, cut)));
}

TEST_CASE("refused facts name the field")
{
    Json json = Json::parse(factsToJson(exampleFacts()));
    json["machine"]["cores"] = 2;
    CHECK(factsFromJson(json.dump()).error().message.find("machine: cores") != std::string::npos);
    json = Json::parse(factsToJson(exampleFacts()));
    json["ranks"][1]["rank"] = -1;
    CHECK(factsFromJson(json.dump()).error().message.find("ranks[1]: rank") != std::string::npos);
}

TEST_CASE("the work of an image is read where it was counted")
{
    Facts facts = exampleFacts();
    CHECK_FALSE(flopsPerImage(facts)); // of an older worker
    facts.model[kFlopsPerImage] = "24300000000";
    CHECK(flopsPerImage(factsFromJson(factsToJson(facts)).value()) == 24.3e9);
    for (const char* text : {"", "-1", "0", "12 GFLOP", "1e9", "99999999999999999999"}) {
        facts.model[kFlopsPerImage] = text;
        CHECK_FALSE(flopsPerImage(facts));
    }
}

TEST_CASE("settings by type")
{
    const Settings settings = examplePlan().runs[0].settings;
    CHECK(textOf(settings, "model") == "resnet50");
    CHECK(integerOf(settings, "ranks") == 2);
    CHECK(numberOf(settings, "ranks") == 2.0);
    CHECK(numberOf(settings, "momentum") == 0.1);
    CHECK(settings.at("pin") == Value(true));
    CHECK_FALSE(integerOf(settings, "model"));
    CHECK_FALSE(integerOf(settings, "absent"));
    CHECK(examplePlan().runs[0].ranks() == 2);
    CHECK(RunSpec{}.ranks() == 1);
}

TEST_CASE("values as people write them")
{
    CHECK(toText(Value(std::int64_t{16})) == "16");
    CHECK(toText(Value(0.5)) == "0.5");
    CHECK(toText(Value(true)) == "true");
    CHECK(toText(Value(std::string("resnet50"))) == "resnet50");
    CHECK_FALSE(valueFromJson(Json::array()));
    CHECK_FALSE(valueFromJson(Json(UINT64_MAX)));
}

} // namespace ringside::test
