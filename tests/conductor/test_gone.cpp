// SPDX-License-Identifier: MIT
// Campaigns at a site that is described no longer: they can be ended, and keep nothing else from being done.
#include "core/base/descriptor.h"
#include "core/sites/sitebook.h"
#include "core/store/edits.h"
#include "tests/conductor/conductorfixture.h"
#include "tests/support/addcampaign.h"
#include "tests/support/loopback.h"
#include "tests/support/runningtime.h"

#include <algorithm>
#include <chrono>
#include <sys/socket.h>

using namespace ringside;
using namespace ringside::test;
using campaign::Stage;

namespace {

RunSpec waitingRun()
{
    RunSpec run;
    run.id = RunId::random();
    run.configurationKey = run.id.str();
    run.settings = Settings{{"model", std::string("lenet")}, {"ranks", std::int64_t{1}}};
    run.iterations = 10;
    return run;
}

/// One experiment has a campaign that waits for a site, and one that is there; another experiment has one that waits.
struct GoneSite : ConductorFixture
{
    GoneSite()
    {
        store::Database db = must(store::Database::openForWriting(options().store));
        add(db, waiting, "kill");
        add(db, there, "kill");
        add(db, other, "other");
        must(store::setStage(db, there.campaign, Stage::submitting));
        must(store::setStage(db, there.campaign, Stage::submitted, "4711"));
    }

    static void add(store::Database& db, CampaignPlan& plan, const std::string& experiment)
    {
        plan.campaign = CampaignId::random();
        plan.store = db.id();
        plan.experiment = experiment;
        plan.site = "gone";
        plan.worker = "/scratch/worker";
        plan.runs = {waitingRun(), waitingRun()};
        must(store::saveExperiment(db, {experiment, "", "gone", 1, "format = 1\n", {}}));
        must(test::addCampaign(db, plan));
    }

    void begin()
    {
        ConductorOptions withoutSites = options();
        withoutSites.sites = folder / "sites";
        conductor = must(WaitingConductor::open(withoutSites, sink));
    }

    store::CampaignRow row(const CampaignPlan& plan) const
    {
        return must(store::campaignById(reader(), plan.campaign)).value();
    }
    RunState state(const CampaignPlan& plan, std::size_t run) const
    {
        return must(store::runById(reader(), plan.runs.at(run).id))->state;
    }

    /// The site's file is there again.
    void describe(int port) const
    {
        Site back;
        back.name = "gone";
        back.host = "127.0.0.1";
        back.port = port;
        must(SiteBook(folder / "sites").save(back));
    }

    CampaignPlan waiting, there, other;
    RecordingSink sink;
    std::unique_ptr<WaitingConductor> conductor;
};

} // namespace

TEST_CASE_FIXTURE(GoneSite,
                  "at a site that is gone what waits is ended, and what was there can be deleted once cancelled")
{
    begin();
    const auto refused = conductor->deleteExperiment("kill");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::busy);
    must(conductor->control({{Control::Kind::cancel, {}}, "kill"}));
    CHECK(row(waiting).stage == Stage::ended);
    CHECK(state(waiting, 0) == RunState::cancelled);
    CHECK(state(waiting, 1) == RunState::cancelled);
    CHECK(row(there).stage == Stage::submitted);
    CHECK(row(there).cancelled);
    CHECK(sink.waitUntil([&] { return sink.rows.contains(waiting.runs[0].id) && sink.experiments.contains("kill"); }));
    CHECK(row(other).stage == Stage::waiting);
    must(conductor->deleteExperiment("kill"));
    CHECK_FALSE(must(store::experimentByName(reader(), "kill")));
    CHECK(must(store::experimentByName(reader(), "other")));
}

TEST_CASE_FIXTURE(GoneSite, "at a site that is gone orders are written down, and one that concerns nothing fails")
{
    begin();
    must(conductor->control({{Control::Kind::hold, {}}, "kill"}));
    CHECK(row(waiting).held);
    CHECK(row(there).held);
    must(conductor->control({{Control::Kind::proceed, {}}, {}}));
    CHECK_FALSE(row(there).held);
    must(conductor->control({{Control::Kind::cancelRun, waiting.runs[0].id}, {}}));
    CHECK(state(waiting, 0) == RunState::cancelled);
    CHECK(row(waiting).stage == Stage::waiting);
    const auto again = conductor->control({{Control::Kind::cancelRun, RunId::random()}, {}});
    REQUIRE_FALSE(again);
    CHECK(again.error().code == ErrorCode::notFound);
}

TEST_CASE_FIXTURE(GoneSite, "a site that is gone is reported as a problem once, and collecting goes on")
{
    begin();
    CHECK(conductor->collect());
    CHECK(std::ranges::count(sink.problems, ErrorCode::notFound, &Error::code) == 1);
}

TEST_CASE_FIXTURE(GoneSite, "what is unfinished at a site whose file comes back is watched, and can be ended")
{
    begin();
    describe(1); // refuses
    must(conductor->control({{Control::Kind::cancel, {}}, "kill"}));
    CHECK(row(waiting).stage == Stage::ended);
    CHECK(state(waiting, 1) == RunState::cancelled);
    CHECK(row(there).cancelled);
    CHECK_FALSE(conductor->collect()); // without contact
}

TEST_CASE_FIXTURE(GoneSite, "an order is written down while its site is dialled, and outlives a program that ends then")
{
    const Descriptor mute(
        ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); // the kernel accepts, and no process answers
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(mute.get(), name, size) == 0);
    REQUIRE(::listen(mute.get(), 8) == 0);
    REQUIRE(::getsockname(mute.get(), name, &size) == 0);
    describe(ntohs(address.sin_port));
    ConductorOptions withSite = options();
    withSite.sites = folder / "sites";
    auto impatient = must(Conductor::open(withSite, sink));
    impatient->collect({});
    const auto isDialling = [&] {
        return std::ranges::count(sink.sites, SiteStatus::Contact::connecting, &SiteStatus::contact) > 0;
    };
    REQUIRE(sink.waitUntil(isDialling));
    impatient->control({{Control::Kind::cancel, {}}, "kill"}, {});
    CHECK(eventually(std::chrono::seconds(30), [&] { return row(waiting).cancelled && row(there).cancelled; }));
    CHECK_FALSE(row(other).cancelled);
    impatient.reset();
    CHECK(row(there).cancelled);
}
