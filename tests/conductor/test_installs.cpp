// SPDX-License-Identifier: MIT
// An installation over a system that a campaign needs which waits in the store.
#include "core/protocol/installation.h"
#include "core/protocol/layout.h"
#include "core/store/edits.h"
#include "tests/conductor/conductorfixture.h"
#include "tests/support/addcampaign.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <future>

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

TEST_CASE_FIXTURE(WaitingCampaign, "an installation that waits for a busy store is cancelled at once")
{
    conductor.reset();
    setStage("ended"); // nothing needs what is there
    const auto direct = must(Conductor::open(options(), sink));
    std::promise<void> free;
    direct->followLog(RunId::random(), [busy = free.get_future().share()](const Result<void>&) { busy.wait(); });
    std::promise<Result<InstalledEngine>> installed, cancelled;
    wire::EngineRequest request;
    request.name = "tiny";
    Installation another;
    another.module = "json";
    request.installation = installationToJson(another);
    direct->askEngine("local", request, {}, [&](Result<InstalledEngine> end) { installed.set_value(std::move(end)); });
    request.action = wire::EngineAction::cancel;
    direct->askEngine("local", request, {}, [&](Result<InstalledEngine> end) { cancelled.set_value(std::move(end)); });
    const auto end = cancelled.get_future().get(), installation = installed.get_future().get();
    free.set_value();
    CHECK(end);
    REQUIRE_FALSE(installation);
    CHECK(installation.error().code == ErrorCode::cancelled);
    std::promise<void> listed; // behind what the store does and the site was asked for
    direct->followLog(RunId::random(), [&](const Result<void>&) {
        direct->listEngines("local", [&](const Result<InstalledEngines>&) { listed.set_value(); });
    });
    listed.get_future().wait();
    CHECK(installedEngines(root).at("tiny").version == "1.4.0");
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
