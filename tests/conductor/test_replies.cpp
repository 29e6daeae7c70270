// SPDX-License-Identifier: MIT
// A relay's news of a campaign, and the part of it that is stored.
#include "core/conductor/campaigndriver.h"
#include "core/conductor/quietsink.h"
#include "tests/store/storefixture.h"
#include "tests/support/built.h"

#include <atomic>
#include <memory>
#include <optional>

using namespace ringside;
using namespace ringside::test;

namespace {

struct CountingSink : QuietSink
{
    void problem(const Error&) override { ++problems; }
    std::atomic<int> problems = 0;
};

/// A campaign for Slurm, and contact with a relay that leaves all answers to the test.
struct Replies : StoreFixture
{
    explicit Replies(campaign::Stage stage)
        : access(CommandLine{{testProgram("muterelay")}})
        , link("alder", access, sink)
    {
        db.handle().exec("UPDATE campaigns SET scheduler = 'slurm'");
        must(store::setStage(db, plan.campaign, stage));
        (void)store::Database(std::move(db)); // from now on the store's thread writes
        writer = must(StoreThread::open(path, sink));
        driver.emplace(link, *writer, sink, std::stop_token());
        must(link.connect(Presence::unattended, {}));
        driver->watch(plan.campaign, {});
    }
    ~Replies() { writer.reset(); } // its queue may hold jobs of the driver

    Reason note()
    {
        const auto row =
            writer->call([id = plan.campaign](store::Database& store) { return store::campaignById(store, id); });
        return must(row)->note;
    }
    /// Returns the reason that is stored of such a status.
    Reason kept(const Reason& reason, std::int64_t expectedStartNs)
    {
        wire::CampaignStatus status{plan.campaign, true, wire::CampaignState::queued, "4711", reason};
        status.jobState = valueNamed<JobState>(reason.word("state")).value_or(JobState::unknown);
        status.expectedStartNs = expectedStartNs;
        driver->handle(wire::StatusReply{0, {status}});
        return note();
    }
    /// The campaign is submitted again, and the relay answers with this error.
    void refuse(const Error& error)
    {
        const std::uint32_t before = link.nextRequest();
        driver->onConnected();
        driver->handle(wire::ErrorReply{before + 1, error});
    }

    /// The campaign was submitted without success, and the relay says this of it.
    void report(bool known, wire::CampaignState state, JobState jobState, const Reason& reason = {})
    {
        wire::CampaignStatus status{plan.campaign, known, state, "4711", reason};
        status.jobState = jobState;
        refuse({ErrorCode::io, "cannot fork.", ""});
        driver->handle(wire::StatusReply{link.nextRequest() - 1, {status}});
    }
    /// Becomes what collecting came to.
    using Outcome = std::shared_ptr<std::optional<Result<void>>>;
    Outcome collect()
    {
        const auto outcome = std::make_shared<std::optional<Result<void>>>();
        driver->collect([outcome](const Result<void>& result) { *outcome = result; });
        return outcome;
    }
    bool isAnswered(const std::optional<Result<void>>& outcome)
    {
        driver->tick();
        (void)stage(); // the store's thread answers
        return outcome.has_value();
    }
    campaign::Stage stage()
    {
        const auto row =
            writer->call([id = plan.campaign](store::Database& store) { return store::campaignById(store, id); });
        return must(row)->stage;
    }

    CountingSink sink;
    LocalAccess access;
    SiteLink link;
    std::unique_ptr<StoreThread> writer;
    std::optional<CampaignDriver> driver;
};

} // namespace

TEST_CASE(
    "of a job that waits its scheduler's word is kept, and when it is expected to start; of others there is no start")
{
    Replies site(campaign::Stage::submitted);
    Reason waits =
        because(why::kJob, {{"scheduler", "slurm"}, {"job", "4711"}, {"state", "pending"}, {"word", "Resources"}});
    CHECK(site.kept(waits, 0) == waits);
    const Reason silent = because(why::kSchedulerSilent, {{"scheduler", "slurm"}, {"said", "down"}});
    CHECK(site.kept(silent, kStart) == silent);
    CHECK(site.kept({}, kStart).empty());
    const Reason failed = because(why::kJob, {{"scheduler", "slurm"}, {"job", "4711"}, {"state", "node_fail"}});
    CHECK(site.kept(failed, kStart) == failed);
    const Reason kept = site.kept(waits, kStart + 30'000'000'000);
    waits.add("starts_ns", kStart);
    CHECK(kept == waits); // to the minute
}

TEST_CASE("the reason why a campaign cannot be submitted now is stored, and announced once")
{
    Replies site(campaign::Stage::submitting);
    const Error away{ErrorCode::unavailable, "Slurm does not answer.", ""};
    site.refuse(away);
    site.refuse(away);
    CHECK(site.sink.problems == 1);
    CHECK(site.note().code == why::kError);
    CHECK(site.note().text.starts_with(away.message));
    site.refuse({ErrorCode::busy, "Slurm is full.", ""});
    CHECK(site.sink.problems == 2);
    CHECK(site.note().text.starts_with("Slurm is full."));
}

TEST_CASE("a submission that failed is final only if its site has neither a runner nor a job of the campaign")
{
    using campaign::Stage;
    using wire::CampaignState;
    Replies site(Stage::submitting);
    SUBCASE("its runner lives")
    {
        site.report(true, CampaignState::running, JobState::unknown);
        CHECK(site.stage() == Stage::submitted);
    }
    SUBCASE("its job waits")
    {
        site.report(true, CampaignState::queued, JobState::pending);
        CHECK(site.stage() == Stage::submitted);
    }
    SUBCASE("it is over")
    {
        site.report(true, CampaignState::ended, JobState::unknown);
        CHECK(site.stage() == Stage::submitted);
    }
    SUBCASE("its scheduler does not answer")
    {
        site.report(true, CampaignState::queued, JobState::unknown, because(why::kSchedulerSilent));
        CHECK(site.stage() == Stage::submitting);
        CHECK(site.note().text.starts_with("cannot fork."));
    }
    SUBCASE("nor can it be asked")
    {
        site.refuse({ErrorCode::io, "cannot fork.", ""});
        site.driver->handle(wire::ErrorReply{site.link.nextRequest() - 1, {ErrorCode::io, "cannot read.", ""}});
        CHECK(site.stage() == Stage::submitting);
        CHECK(site.note().text.starts_with("cannot fork."));
    }
    SUBCASE("it has nothing")
    {
        site.report(false, CampaignState::queued, JobState::unknown);
        CHECK(site.stage() == Stage::ended);
    }
    SUBCASE("nothing was started")
    {
        site.report(true, CampaignState::queued, JobState::unknown, because(why::kNotSubmitted));
        CHECK(site.stage() == Stage::ended);
    }
    SUBCASE("its runner is dead")
    {
        site.report(true, CampaignState::lost, JobState::unknown);
        CHECK(site.stage() == Stage::ended);
    }
    SUBCASE("the request is wrong")
    {
        site.refuse({ErrorCode::usage, "no such partition.", ""});
        CHECK(site.stage() == Stage::ended);
    }
}

TEST_CASE("a campaign that was cancelled and cannot be read ends once its site has accepted the cancel")
{
    Replies site(campaign::Stage::submitted);
    const Error refused{ErrorCode::permission, "cannot read plan.json.", ""};
    std::optional<Error> answer;
    const std::uint32_t before = site.link.nextRequest();
    site.driver->onConnected(); // it is asked how the campaign stands
    site.driver->control({{Control::Kind::cancel}, site.plan.experiment}, false,
                         [&](const Result<void>& done) { answer = done ? std::nullopt : std::optional(done.error()); });
    SUBCASE("it has not")
    {
        site.driver->handle(wire::ErrorReply{before + 2, refused});
        site.driver->handle(wire::ErrorReply{before + 1, refused});
        CHECK(site.stage() == campaign::Stage::submitted);
        REQUIRE(answer);
        CHECK(answer->code == refused.code);
    }
    SUBCASE("it has")
    {
        site.driver->handle(wire::ControlReply{before + 2});
        site.driver->handle(wire::ErrorReply{before + 1, refused});
        CHECK(site.stage() == campaign::Stage::ended);
        CHECK_FALSE(answer);
    }
}

TEST_CASE("collecting ends once the site has answered what was ordered")
{
    Replies site(campaign::Stage::submitted);
    const std::uint32_t before = site.link.nextRequest();
    site.driver->control({{Control::Kind::hold}, site.plan.experiment}, false, {});
    const auto collected = site.collect();
    site.driver->handle(wire::FollowState{before + 2, site.plan.campaign, true, true});
    CHECK_FALSE(site.isAnswered(*collected));
    site.driver->handle(wire::ControlReply{before + 3}); // it was sent again, since the site's state is not known yet
    CHECK_FALSE(site.isAnswered(*collected));
    SUBCASE("it has it")
    {
        site.driver->handle(wire::ControlReply{before + 1});
        REQUIRE(site.isAnswered(*collected));
        CHECK(collected->value());
    }
    SUBCASE("it refuses it")
    {
        site.driver->handle(wire::ErrorReply{before + 1, {ErrorCode::noSpace, "the disk is full.", ""}});
        REQUIRE(site.isAnswered(*collected));
        REQUIRE_FALSE(collected->value());
        CHECK(collected->value().error().code == ErrorCode::noSpace);
    }
}

TEST_CASE("collecting ends once a dead runner has a successor")
{
    Replies site(campaign::Stage::submitted);
    std::uint32_t last = site.link.nextRequest();
    const auto collected = site.collect();
    const std::uint32_t follow = ++last;
    site.driver->handle(wire::FollowState{follow, site.plan.campaign, true, false});
    const std::uint32_t asked = ++last; // how the campaign stands
    site.driver->handle(wire::ControlReply{++last});
    site.driver->handle(wire::StatusReply{asked, {{site.plan.campaign, true, wire::CampaignState::lost, "4711", {}}}});
    CHECK(site.stage() == campaign::Stage::submitting);
    site.driver->handle(wire::FollowState{follow, site.plan.campaign, true, true}); // the successor is seen already
    CHECK_FALSE(site.isAnswered(*collected));
    site.driver->handle(wire::SubmitReply{++last, "4712", false});
    CHECK(site.stage() == campaign::Stage::submitted);
    site.driver->handle(wire::FollowState{++last, site.plan.campaign, true, true});
    CHECK_FALSE(site.isAnswered(*collected));
    site.driver->handle(wire::ControlReply{++last});
    REQUIRE(site.isAnswered(*collected));
    CHECK(collected->value());
}

TEST_CASE("collecting fails where the successor of a dead runner cannot be written down")
{
    Replies site(campaign::Stage::submitted);
    SQLite::Database(site.path.string(), SQLite::OPEN_READWRITE, 60'000)
        .exec("CREATE TRIGGER refusing BEFORE UPDATE OF stage ON campaigns WHEN NEW.stage = 'submitting' "
              "BEGIN SELECT raise(ABORT, 'full'); END");
    std::uint32_t last = site.link.nextRequest();
    const auto collected = site.collect();
    site.driver->handle(wire::FollowState{++last, site.plan.campaign, true, false});
    const std::uint32_t asked = ++last; // how the campaign stands
    site.driver->handle(wire::ControlReply{++last});
    site.driver->handle(wire::StatusReply{asked, {{site.plan.campaign, true, wire::CampaignState::lost, "4711", {}}}});
    CHECK(site.stage() == campaign::Stage::submitted);
    REQUIRE(site.isAnswered(*collected));
    CHECK_FALSE(collected->value());
}

TEST_CASE("a command of several requests ends with the last of them, and with the first error")
{
    std::vector<Result<void>> ends;
    const auto note = [&](const Result<void>& end) { ends.push_back(end); };
    const Error refused{ErrorCode::notFound, "first", ""}, other{ErrorCode::usage, "second", ""};

    std::vector<std::string> others;
    const auto noteOther = [&](const Error& error) { others.push_back(error.message); };
    CompletionOfAll none(note, noteOther);
    none.finish();
    REQUIRE(ends.size() == 1);
    CHECK(ends[0]);

    CompletionOfAll three(note, noteOther);
    Completion<> a = three.part(), b = three.part(), c = three.part();
    complete(b, tl::unexpected(refused)); // a request that cannot be sent ends at once
    three.finish();
    complete(a, {});
    CHECK(ends.size() == 1);
    complete(c, tl::unexpected(other));
    REQUIRE(ends.size() == 2);
    REQUIRE_FALSE(ends[1]);
    CHECK(ends[1].error().message == "first");
    CHECK(others == std::vector<std::string>{"second"});
}
