// SPDX-License-Identifier: MIT
#include "tests/conductor/conductorfixture.h"
#include "tests/conductor/spoolcompare.h"

#include "core/campaign/campaign.h"
#include "core/protocol/layout.h"
#include "core/protocol/spool.h"
#include "core/store/edits.h"
#include "tests/support/runningtime.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <algorithm>
#include <csignal>
#include <fstream>
#include <sys/stat.h>

using namespace ringside;
using namespace ringside::test;

namespace {

constexpr std::chrono::minutes kLong{2};

struct Session : ConductorFixture
{
    RecordingSink sink;
    std::unique_ptr<WaitingConductor> conductor = open(sink);

    void launch(const spec::Experiment& what)
    {
        must(conductor->saveExperiment(what));
        must(conductor->launch({what.name}));
    }
    /// The campaign goes on to its end, and what it leaves is still to be read.
    void leaveUntilItEnded()
    {
        REQUIRE(waitForState(RunState::running));
        conductor.reset();
        waitForRunnersToEnd();
    }
    fs::path spoolOf(const RunId& run) const { return layout::spoolFile(layout::attemptFolder(root, run, 1), 0); }
    void reopen()
    {
        sink.rows.clear();
        conductor = open(sink);
    }
    bool waitForEnd(std::size_t count)
    {
        return sink.waitUntil([&] {
            return sink.rows.size() == count &&
                   std::ranges::all_of(sink.rows, [](const auto& row) { return isFinal(row.second.state); });
        });
    }
    bool waitForState(RunState state)
    {
        return sink.waitUntil(
            [&] { return std::ranges::any_of(sink.rows, [&](const auto& row) { return row.second.state == state; }); });
    }
};

} // namespace

TEST_CASE_FIXTURE(Session, "an experiment is carried out, and every sample is stored and announced once")
{
    launch(experiment("[1, 2]", 2, 8));
    REQUIRE(waitForEnd(4));
    must(conductor->collect());
    CHECK(requireStoreEqualsSpools(options().store, root) == 2 * 8 + 2 * 2 * 8);
    CHECK(sink.samples.size() == 48);
    CHECK(std::set(sink.samples.begin(), sink.samples.end()).size() == 48);
    for (const store::RunRow& run : runs()) {
        CHECK(run.state == RunState::done);
        CHECK(run.attempt == 1);
        CHECK(run.itemsPerSecond.value_or(0) > 0);
        CHECK(std::ranges::find(run.flags, "incomplete") == run.flags.end());
        CHECK(must(store::facts(reader(), run.id, 1)));
    }
    CHECK(sink.problems.empty());
    CHECK(sink.experiments.contains("kill"));
    CHECK(sink.sites.back().contact == SiteStatus::Contact::connected);

    const auto first = runs();
    must(conductor->launch({"kill"}));
    CHECK(must(store::campaigns(reader())).size() == 1); // nothing was missing
    launch(experiment("[1, 2]", 3, 8));                  // one repeat more
    REQUIRE(waitForEnd(6));
    CHECK(runs()[0].campaign == first[0].campaign);
    CHECK(must(store::campaigns(reader())).size() == 2);
}

TEST_CASE_FIXTURE(Session, "the campaign goes on without the conductor, and is picked up")
{
    launch(experiment("[1]", 3, 60));
    REQUIRE(waitForState(RunState::running));
    conductor.reset();
    CHECK(runs()[0].state == RunState::unknown); // cannot be known
    CHECK(!processes("testworker").empty());
    reopen();
    REQUIRE(waitForEnd(3));
    must(conductor->collect());
    CHECK(requireStoreEqualsSpools(options().store, root) == 180);
    for (const store::RunRow& run : runs())
        CHECK(run.attempt == 1); // picked up, not started again
    CHECK(must(store::campaigns(reader())).size() == 1);
}

TEST_CASE_FIXTURE(Session, "runs that were not watched are collected")
{
    launch(experiment("[1]", 2, 20));
    REQUIRE(waitForState(RunState::running));
    conductor.reset();
    waitForRunnersToEnd();
    reopen();
    must(conductor->collect());
    CHECK(requireStoreEqualsSpools(options().store, root) == 40);
    for (const store::RunRow& run : runs())
        CHECK(run.state == RunState::done);
}

TEST_CASE_FIXTURE(Session, "a relay of this computer that dies while nothing runs comes back by itself")
{
    launch(experiment("[1]", 1, 5));
    REQUIRE(waitForEnd(1));
    must(conductor->collect());
    const std::vector<int> relays = processes("ringside-agent\trelay");
    REQUIRE(relays.size() == 1);
    {
        const std::lock_guard lock(sink.mutex);
        sink.sites.clear();
    }
    REQUIRE(::kill(relays.front(), SIGKILL) == 0);
    REQUIRE(sink.waitUntil([&] { return !sink.sites.empty(); }));
    CHECK(sink.sites.front().contact == SiteStatus::Contact::lost);
    CHECK(sink.waitUntil([&] { return sink.sites.back().contact == SiteStatus::Contact::connected; }));
}

TEST_CASE_FIXTURE(Session, "a program that quits with the last run delays no other one")
{
    spec::Experiment next = experiment("[1]", 1, 5);
    for (const char* name : {"first", "second", "third"}) {
        next.name = name;
        launch(next);
        REQUIRE(sink.waitUntil([&] {
            return std::ranges::any_of(
                sink.rows, [&](const auto& row) { return row.second.experiment == name && isFinal(row.second.state); });
        }));
        conductor.reset(); // as the command line does: no collect
        reopen();
    }
    CHECK(sink.waitUntil([&] { return must(store::campaigns(reader(), true)).empty(); }));
    requireStoreEqualsSpools(options().store, root);
}

TEST_CASE_FIXTURE(Session, "all of a campaign was read but its end not written down: it ends all the same")
{
    launch(experiment("[1]", 1, 5));
    const auto over = [&] { return must(store::campaigns(reader(), true)).empty(); };
    REQUIRE(sink.waitUntil([&] { return !sink.rows.empty() && over(); }));
    conductor.reset();
    {
        store::Database db = must(store::Database::openForWriting(options().store));
        must(store::setStage(db, must(store::campaigns(db)).front().id, campaign::Stage::submitted, ""));
    }
    reopen();
    CHECK(sink.waitUntil(over));
    CHECK(runs().front().state == RunState::done);
}

TEST_CASE_FIXTURE(Session, "a spool that is none is refused by name, once; the others are read")
{
    launch(experiment("[1]", 2, 20));
    REQUIRE(waitForState(RunState::running));
    conductor.reset();
    waitForRunnersToEnd();
    const RunId second = runs()[1].id;
    const fs::path spool = layout::spoolFile(layout::attemptFolder(root, second, 1), 0);
    std::ofstream(spool) << std::string(600'000, 'x');
    reopen();
    must(conductor->collect());
    must(conductor->collect());
    REQUIRE(sink.problems.size() == 1);
    CHECK(sink.problems[0].code == ErrorCode::damaged);
    CHECK_MESSAGE(sink.problems[0].message.starts_with(spool.string() + ": "), sink.problems[0].message);
    const auto rows = runs();
    CHECK(rows[0].samples == 20);
    CHECK(rows[1].samples == 0);
    CHECK(std::ranges::count(rows[1].flags, "incomplete") == 1);
}

TEST_CASE_FIXTURE(Session, "a spool whose blocks are whole but say what cannot be costs its run a flag, and no more")
{
    launch(experiment("[1]", 2, 20));
    leaveUntilItEnded();
    SpoolEncoder encoder;
    Sample huge, negative, late;
    huge.bytesSent = ~0ull;
    huge.seq = 3;
    negative.phases[2] = -5;
    late.seq = ~0u;
    for (const Sample& sample : {huge, huge, negative, late})
        encoder.add(sample);
    std::ofstream(spoolOf(runs()[1].id), std::ios::app | std::ios::binary) << encoder.takeBlock();
    reopen();
    must(conductor->collect());
    REQUIRE(sink.problems.size() == 1);
    CHECK(sink.problems[0].code == ErrorCode::damaged);
    conductor.reset();
    reopen();
    const auto rows = runs();
    for (const store::RunRow& row : rows) {
        CHECK(row.state == RunState::done);
        CHECK(row.samples == 20);
        CHECK(row.itemsPerSecond);
    }
    CHECK(std::ranges::count(rows[0].flags, "incomplete") == 0);
    CHECK(std::ranges::count(rows[1].flags, "incomplete") == 1);
}

TEST_CASE_FIXTURE(Session, "a database with an attempt that cannot be summed up is opened, and says so")
{
    launch(experiment("[1]", 1, 5));
    REQUIRE(waitForEnd(1));
    must(conductor->collect());
    conductor.reset();
    SQLite::Database(options().store.string(), SQLite::OPEN_READWRITE, kLockWaitMs)
        .exec("CREATE TRIGGER refusing BEFORE INSERT ON summary BEGIN SELECT raise(ABORT, 'no'); END; "
              "UPDATE attempts SET summarised = -1");
    reopen();
    REQUIRE(sink.problems.size() == 1);
    CHECK_MESSAGE(sink.problems[0].message.starts_with("Run 1 "), sink.problems[0].message);
    CHECK(std::ranges::count(runs()[0].flags, "incomplete") == 1);
    CHECK(runs()[0].samples == 5);
}

TEST_CASE_FIXTURE(Session, "samples that the site no longer has are counted, and the rest comes home")
{
    launch(experiment("[1]", 3, 40));
    leaveUntilItEnded();
    const auto before = runs();
    fs::remove(spoolOf(before[1].id));
    fs::resize_file(spoolOf(before[2].id), fs::file_size(spoolOf(before[2].id)) / 2);
    reopen();
    must(conductor->collect());
    const auto rows = runs();
    CHECK(rows[0].samples == 40);
    using Lost = store::LostSamples;
    CHECK(must(store::lostSamples(reader(), rows[0].campaign)) ==
          std::vector<Lost>{{2, 40 - rows[1].samples}, {3, 40 - rows[2].samples}});
    CHECK(rows[2].samples > 0);
    CHECK(rows[2].samples < 40);
    CHECK(std::ranges::count(rows[2].flags, "incomplete") == 1);
}

TEST_CASE_FIXTURE(Session, "a spool that breaks off in a hole is said, and what is behind it counted as gone")
{
    launch(experiment("[1]", 1, 40));
    leaveUntilItEnded();
    const fs::path spool = spoolOf(runs()[0].id);
    fs::resize_file(spool, fs::file_size(spool) / 2);
    fs::resize_file(spool, std::uintmax_t{1} << 30);
    reopen();
    must(conductor->collect());
    REQUIRE(sink.problems.size() == 1);
    CHECK_MESSAGE(sink.problems[0].message.find(spool.filename().string()) != std::string::npos,
                  sink.problems[0].message);
    const auto rows = runs();
    CHECK(must(store::lostSamples(reader(), rows[0].campaign)) ==
          std::vector<store::LostSamples>{{1, 40 - rows[0].samples}});
    CHECK(std::ranges::count(rows[0].flags, "incomplete") == 1);
}

TEST_CASE_FIXTURE(Session,
                  "of a campaign whose folder is gone the spools are fetched, and its runs say what became of them")
{
    launch(experiment("[1]", 3, 40));
    leaveUntilItEnded();
    const auto before = runs();
    const fs::path there = layout::campaignFolder(root, before[0].campaign);
    SUBCASE("all of it")
    {
        fs::remove_all(there);
        fs::remove_all(layout::runFolder(root, before[2].id));
    }
    SUBCASE("its plan")
    {
        fs::remove(layout::planFile(there));
    }
    reopen();
    must(conductor->collect());
    CHECK(must(store::campaigns(reader(), true)).empty());
    const auto rows = runs();
    CHECK(requireStoreEqualsSpools(options().store, root) == rows[0].samples + rows[1].samples + rows[2].samples);
    CHECK(rows[1].samples == 40);
    const bool hasJournal = fs::exists(there); // which recorded their ends
    for (const store::RunRow& run : {rows[1], rows[2]}) {
        CHECK(run.state == (hasJournal ? RunState::done : RunState::failed));
        CHECK(run.cause == (hasJournal ? Cause::none : Cause::runnerLost));
        CHECK(run.reason == (hasJournal ? std::nullopt : std::optional(because(why::kFilesGone))));
    }
    const auto lost = must(store::lostSamples(reader(), rows[0].campaign));
    if (hasJournal)
        CHECK(lost.empty());
    else
        CHECK(lost.back() == store::LostSamples{3, 40, true});
}

TEST_CASE_FIXTURE(Session, "what could not be stored when the program ended comes home with the next one")
{
    launch(experiment("[1]", 1, 40));
    SQLite::Database(options().store.string(), SQLite::OPEN_READWRITE, kLockWaitMs)
        .exec("CREATE TRIGGER refusing BEFORE INSERT ON samples BEGIN SELECT raise(ABORT, 'no'); END");
    REQUIRE(sink.waitUntil([&] { return !sink.problems.empty(); }));
    waitForRunnersToEnd();
    std::this_thread::sleep_for(std::chrono::seconds(1)); // so that the campaign's end waits to be written down, too
    conductor.reset();
    SQLite::Database(options().store.string(), SQLite::OPEN_READWRITE, kLockWaitMs).exec("DROP TRIGGER refusing");
    CHECK(must(store::campaigns(reader(), true)).size() == 1);
    reopen();
    must(conductor->collect());
    CHECK(requireStoreEqualsSpools(options().store, root) == 40);
    CHECK(runs()[0].state == RunState::done);
}

TEST_CASE_FIXTURE(Session, "a second campaign waits for the first and says so")
{
    launch(experiment("[1]", 1, 100));
    spec::Experiment other = experiment("[1]", 1, 5);
    other.name = "other";
    launch(other);
    const auto waiting = must(store::runs(reader(), {other.name, {}})).front();
    CHECK(waiting.state == RunState::queued);
    CHECK(waiting.reason == because(why::kOtherCampaign, {{"experiment", "kill"}}));
    REQUIRE(waitForEnd(2));
    const auto rows = runs();
    CHECK(must(store::attempts(reader(), rows[0].id))[0].endedAt <=
          must(store::attempts(reader(), rows[1].id))[0].startedAt);
}

TEST_CASE_FIXTURE(Session, "what waits for the campaign of another store is not held, however often contact breaks")
{
    launch(experiment("[1]", 1, 1500));
    REQUIRE(waitForState(RunState::running));
    ConductorOptions neighbour = options();
    neighbour.store = folder / "neighbour.db";
    spec::Experiment other = experiment("[1]", 1, 5);
    other.name = "other";
    const auto theirRun = [&] {
        const auto rows = must(store::runs(must(store::Database::openForReading(neighbour.store))));
        return rows.empty() ? store::RunRow{} : rows.front();
    };
    const auto waitsForOurs = [&] {
        const Reason reason = theirRun().reason.value_or(Reason());
        return reason.code == why::kBusy && reason.word("holder").starts_with("kill (") && !reason.number("held");
    };
    for (const int life : {1, 2, 3}) {
        RecordingSink theirs;
        const auto second = must(WaitingConductor::open(neighbour, theirs));
        if (life == 1) {
            must(second->saveExperiment(other));
            must(second->launch({other.name}));
        }
        if (life < 3)
            REQUIRE(theirs.waitUntil(waitsForOurs));
        else
            REQUIRE(theirs.waitUntil([&] { return theirRun().state == RunState::done; }));
        CHECK_FALSE(theirRun().held);
    }
    REQUIRE(waitForEnd(1));
}

TEST_CASE_FIXTURE(Session, "cancelling ends what runs and what waits; launching again does it all")
{
    launch(experiment("[1]", 3, 200));
    REQUIRE(waitForState(RunState::running));
    must(conductor->control({{Control::Kind::cancel}, "kill"}));
    REQUIRE(waitForEnd(3));
    for (const store::RunRow& run : runs())
        CHECK(run.state == RunState::cancelled);
    CHECK(sink.waitUntil([&] { return must(store::campaigns(reader(), true)).empty(); }));
    const auto answer = conductor->control({{Control::Kind::cancel}, "kill"});
    CHECK(answer.error().code == ErrorCode::notFound);
    must(conductor->collect());
    requireStoreEqualsSpools(options().store, root);
}

TEST_CASE_FIXTURE(Session, "one run is cancelled, the others are done; holding holds")
{
    launch(experiment("[1]", 3, 40));
    REQUIRE(waitForState(RunState::running));
    const RunId third = runs()[2].id;
    must(conductor->control({{Control::Kind::hold}, "kill"}));
    must(conductor->control({{Control::Kind::cancelRun, third}}));
    REQUIRE(sink.waitUntil([&] { return sink.rows[third].state == RunState::cancelled; }));
    REQUIRE(waitForState(RunState::done));
    const fs::path journal = layout::journalFile(layout::campaignFolder(root, runs()[0].campaign));
    const auto isHeld = [&] { return readFile(journal).value_or("").find(R"("code":"held")") != std::string::npos; };
    REQUIRE(eventually(kLong, isHeld));
    CHECK(runs()[1].state == RunState::queued);
    must(conductor->control({{Control::Kind::proceed}, "kill"}));
    REQUIRE(waitForEnd(3));
    CHECK(runs()[1].state == RunState::done);
}

TEST_CASE_FIXTURE(Session, "a trial is kept apart, logs can be read while it runs and afterwards")
{
    must(conductor->saveExperiment(experiment("[1, 2]", 2, 30)));
    LaunchRequest trial{"kill"};
    trial.trial = true;
    must(conductor->launch(trial));
    REQUIRE(waitForEnd(1));
    const store::RunRow run = runs().front();
    CHECK(run.kind == RunKind::trial);
    CHECK(run.iterations == 20);
    CHECK(must(store::experimentByName(reader(), "kill"))->runs.total == 0);
    must(conductor->followLog(run.id));
    CHECK(sink.waitUntil([&] { return sink.logs[run.id].find("rank 0 iteration 19\n") != std::string::npos; }));
    REQUIRE(sink.waitUntil([&] { return must(store::campaigns(reader(), true)).empty(); })); // it is not followed
    fs::remove_all(layout::campaignFolder(root, run.campaign));
    CHECK(conductor->followLog(run.id).error().code == ErrorCode::notFound);
    CHECK(sink.problems.empty());
}

TEST_CASE_FIXTURE(Session, "orders that cannot be carried out are answered")
{
    CHECK(conductor->launch({"none"}).error().code == ErrorCode::notFound);
    must(conductor->saveExperiment(experiment("[1]", 1, 100)));
    LaunchRequest elsewhere{"kill"};
    elsewhere.site = "alder";
    CHECK(conductor->launch(elsewhere).error().code == ErrorCode::notFound);
    launch(experiment("[1]", 1, 100));
    CHECK(conductor->deleteExperiment("kill").error().code == ErrorCode::busy);
    must(conductor->setStarred("kill", true));
    CHECK(must(store::experimentByName(reader(), "kill"))->starred);
    CHECK(WaitingConductor::open(options(), sink).error().code == ErrorCode::busy);
    REQUIRE(waitForEnd(1));
    REQUIRE(sink.waitUntil([&] { return must(store::campaigns(reader(), true)).empty(); })); // the runner ends, too
    must(conductor->deleteExperiment("kill"));
    CHECK(runs().empty());
}

TEST_CASE("without an agent a launch is answered with what is missing, and done later")
{
    ConductorFixture fixture;
    RecordingSink sink;
    ConductorOptions options = fixture.options();
    options.agent = fixture.folder / "missing-agent";
    {
        const auto conductor = must(WaitingConductor::open(options, sink));
        must(conductor->saveExperiment(experiment("[1]", 1, 5)));
        const auto answer = conductor->launch({"kill"});
        REQUIRE(!answer);
        CHECK(answer.error().code == ErrorCode::unavailable);
        CHECK(sink.sites.back().contact == SiteStatus::Contact::lost);
    }
    const auto conductor = fixture.open(sink);
    CHECK(sink.waitUntil([&] { return !sink.rows.empty() && sink.rows.begin()->second.state == RunState::done; }));
}

TEST_CASE_FIXTURE(Session, "a campaign is read to its end although its log could not be followed once")
{
    launch(experiment("[1]", 1, 100));
    REQUIRE(sink.waitUntil([&] { return sink.samples.size() > 5; }));
    const store::RunRow run = runs().front();
    const fs::path plan = layout::planFile(layout::campaignFolder(root, run.campaign));
    fs::rename(plan, plan.string() + ".aside");
    REQUIRE(::mkfifo(plan.c_str(), 0600) == 0); // unreadable, and not gone
    CHECK_FALSE(conductor->followLog(run.id));
    fs::rename(plan.string() + ".aside", plan);
    REQUIRE(waitForEnd(1));
    must(conductor->collect());
    REQUIRE(sink.waitUntil([&] { return must(store::campaigns(reader(), true)).empty(); }));
    CHECK(requireStoreEqualsSpools(options().store, root) == 100);
    CHECK(runs().front().state == RunState::done);
}

TEST_CASE_FIXTURE(Session, "a campaign whose request is too large to be sent says so, and is read once it is not")
{
    launch(experiment("[1]", 1, 60));
    REQUIRE(sink.waitUntil([&] { return sink.samples.size() > 5; }));
    const std::string campaign = runs().front().campaign.str();
    const auto change = [&](const std::string& sql) {
        conductor.reset();
        SQLite::Database(options().store.string(), SQLite::OPEN_READWRITE, kLockWaitMs).exec(sql);
        reopen();
    };
    change("INSERT INTO cursors VALUES ('" + campaign + "', 'large/' || hex(zeroblob(70000000)), '', 0)");
    const auto collected = conductor->collect();
    REQUIRE_FALSE(collected);
    CHECK(collected.error().message.find("is above the limit of") != std::string::npos);
    change("DELETE FROM cursors WHERE path LIKE 'large/%'");
    REQUIRE(waitForEnd(1));
    must(conductor->collect());
    CHECK(requireStoreEqualsSpools(options().store, root) == 60);
    CHECK(runs().front().state == RunState::done);
}
