// SPDX-License-Identifier: MIT
// An installation over a system that a campaign needs which waits in the store.
#include "core/protocol/installation.h"
#include "core/protocol/layout.h"
#include "core/store/edits.h"
#include "tests/conductor/conductorfixture.h"
#include "tests/support/addcampaign.h"

#include <SQLiteCpp/SQLiteCpp.h>

using namespace ringside;
using namespace ringside::test;

namespace {

struct WaitingCampaign : ConductorFixture
{
    /// The campaign has ended as far as the conductor sees when it is opened, so that it does not hand it over.
    WaitingCampaign()
    {
        fs::create_directories(engine);
        must(writeInstalledEngine(engine, {"1.4.0", "/usr/bin/python3", {}, {"tinysystem==1.4.0"}}));
        addCampaign();
        conductor = open(sink);
        setStage("waiting");
    }

    void addCampaign()
    {
        store::Database db = must(store::Database::openForWriting(options().store));
        plan.campaign = CampaignId::random();
        plan.store = db.id();
        plan.experiment = "later";
        plan.site = "local";
        plan.worker = "/bin/worker";
        plan.engines["tiny"].command = {(engine / "bin/python").string()};
        plan.runs.resize(1);
        plan.runs[0].id = RunId::random();
        plan.runs[0].configurationKey = "key";
        plan.runs[0].settings = Settings{{"model", std::string("lenet")}, {"ranks", std::int64_t{1}}};
        plan.runs[0].iterations = 10;
        must(store::saveExperiment(db, {plan.experiment, "", "local", 1, "format = 1\n", {}}));
        must(test::addCampaign(db, plan));
        must(store::setStage(db, plan.campaign, campaign::Stage::ended));
    }

    void setStage(const std::string& stage) const
    {
        SQLite::Database(options().store.string(), SQLite::OPEN_READWRITE, kLockWaitMs)
            .exec("UPDATE campaigns SET stage = '" + stage + "'");
    }

    Result<InstalledEngine> install(const Installation& installation) const
    {
        wire::EngineRequest request;
        request.name = "tiny";
        request.installation = installationToJson(installation);
        return conductor->askEngine("local", request);
    }

    /// One that fetches nothing, and is not what is there.
    Result<InstalledEngine> installAnother() const
    {
        Installation another;
        another.module = "json";
        return install(another);
    }

    fs::path engine = layout::enginesFolder(root) / "tiny";
    CampaignPlan plan;
    RecordingSink sink;
    std::unique_ptr<WaitingConductor> conductor;
};

} // namespace

TEST_CASE_FIXTURE(WaitingCampaign, "a system that a campaign needs which waits in the store is not changed")
{
    const auto refused = installAnother();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::busy);
    CHECK_MESSAGE(refused.error().message.find("of “later”, which is not over, needs it.") != std::string::npos,
                  refused.error().text());
    CHECK(installedEngines(root).at("tiny").version == "1.4.0");

    Installation same;
    same.module = "tinysystem";
    same.packages = {"tinysystem==1.4.0"};
    const auto there = install(same);
    REQUIRE_MESSAGE(there, there.error().text());
    CHECK(there->version == "1.4.0");
}

TEST_CASE_FIXTURE(WaitingCampaign, "a system that no campaign can use, or needs any longer, is installed")
{
    SUBCASE("it is not there")
    {
        fs::remove(engine / "engine.json");
    }
    SUBCASE("its interpreter is gone")
    {
        must(writeInstalledEngine(engine, {"1.4.0", "/nowhere/python3"}));
    }
    SUBCASE("the campaign has ended")
    {
        setStage("ended");
    }
    const auto installed = installAnother();
    REQUIRE_MESSAGE(installed, installed.error().text());
    CHECK(installedEngines(root).at("tiny").version == "2.0.9");
}
