// SPDX-License-Identifier: MIT
// Orders while things go on are stored and carried out, and nothing waits for ever because of them.
#include "tests/conductor/conductorfixture.h"
#include "tests/conductor/spoolcompare.h"

#include "core/base/descriptor.h"
#include "core/base/files.h"
#include "core/protocol/layout.h"
#include "core/protocol/plan.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <set>
#include <sys/file.h>

using namespace ringside;
using namespace ringside::test;

namespace {

struct Orders : ConductorFixture
{
    RecordingSink sink;
    std::unique_ptr<WaitingConductor> conductor;

    Orders()
        : conductor(open(sink))
    {
    }

    void reopen()
    {
        conductor.reset();
        conductor = open(sink);
    }
    /// From now on the site does not answer, until reopen().
    void goAway()
    {
        conductor.reset();
        ConductorOptions away = options();
        away.agent = folder / "missing-agent";
        conductor = must(WaitingConductor::open(away, sink));
    }
    void launch(const spec::Experiment& what)
    {
        must(conductor->saveExperiment(what));
        must(conductor->launch({what.name}));
    }
    /// Run 0 has begun; a second campaign, of runs 1 and 2, waits until it has ended.
    void launchOneAndTwoThatWait()
    {
        launch(experiment("[1]", 1, 60));
        REQUIRE(begins(0));
        launch(experiment("[1]", 3, 60));
        REQUIRE(runs().size() == 3);
    }
    void order(Control::Kind kind, const RunId& run = {}) { must(conductor->control({{kind, run}, "kill"})); }
    bool isOver()
    {
        return sink.waitUntil([&] { return must(store::campaigns(reader(), true)).empty(); });
    }
    bool begins(std::size_t run)
    {
        return sink.waitUntil([&] { return runs().at(run).attempt > 0; });
    }
    bool becomes(std::size_t run, RunState state)
    {
        return sink.waitUntil([&] { return runs().at(run).state == state; });
    }
    fs::path campaign() const { return layout::campaignFolder(root, must(store::campaigns(reader())).back().id); }
};

} // namespace

TEST_CASE_FIXTURE(Orders, "what is held and then cancelled ends, and the next launch goes on")
{
    launch(experiment("[1]", 3, 60));
    REQUIRE(begins(0));
    order(Control::Kind::hold);
    REQUIRE(becomes(0, RunState::done));
    CHECK(runs()[1].reason == because(why::kExperimentHeld));
    order(Control::Kind::cancelWaiting);
    CHECK(isOver());
    CHECK(runs()[1].state == RunState::cancelled);
    CHECK(runs()[2].state == RunState::cancelled);
    spec::Experiment other = experiment("[1]", 1, 5);
    other.name = "other";
    launch(other);
    CHECK(becomes(3, RunState::done));
}

TEST_CASE_FIXTURE(Orders, "what was continued while its site was away goes on")
{
    launch(experiment("[1]", 2, 60));
    REQUIRE(begins(0));
    order(Control::Kind::hold);
    REQUIRE(becomes(0, RunState::done));
    goAway();
    order(Control::Kind::proceed);
    CHECK_FALSE(must(store::campaigns(reader(), true)).front().held);
    reopen();
    CHECK(becomes(1, RunState::done));
}

TEST_CASE_FIXTURE(Orders, "a run that is cancelled while its site is away stays so after a restart")
{
    goAway();
    must(conductor->saveExperiment(experiment("[1]", 2, 200)));
    REQUIRE(!conductor->launch({"kill"}));
    order(Control::Kind::cancelRun, runs()[0].id);
    CHECK(!runs()[0].reason.value_or(Reason()).empty());
    reopen();
    CHECK(becomes(1, RunState::done));
    CHECK(isOver());
    CHECK(runs()[0].state == RunState::cancelled); // before it began, or as soon as its site knew
}

TEST_CASE_FIXTURE(Orders, "a plan is handed over as it is stored, whichever version wrote it")
{
    goAway();
    must(conductor->saveExperiment(experiment("[1]", 1, 5)));
    REQUIRE(!conductor->launch({"kill"}));
    conductor.reset();
    SQLite::Database(options().store.string(), SQLite::OPEN_READWRITE, kLockWaitMs)
        .exec("UPDATE campaigns SET plan = replace(plan, ',\"', ', \"')"); // the same plan, in other words
    conductor = open(sink);
    REQUIRE(becomes(0, RunState::done));
    const std::string stored = must(store::campaigns(reader())).back().planJson;
    CHECK(planToJson(must(planFromJson(stored))) != stored);
    CHECK(must(readFile(layout::planFile(campaign()))) == stored);
}

TEST_CASE_FIXTURE(Orders, "a campaign waits for an earlier submission of it that has not come to its end")
{
    goAway();
    must(conductor->saveExperiment(experiment("[1]", 1, 15)));
    REQUIRE(!conductor->launch({"kill"}));
    must(makePrivateFolder(campaign()));
    Descriptor earlier(::open(layout::submittingFile(campaign()).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(::flock(earlier.get(), LOCK_EX) == 0);
    ::setenv("RINGSIDE_TEST_TIME_SCALE", "0.1", 1);
    reopen();
    CHECK(sink.waitUntil([&] {
        const store::RunRow run = runs()[0];
        return run.reason && run.reason->text.ends_with(" It is tried again by itself.");
    }));
    CHECK_FALSE(isFinal(runs()[0].state));
    ::unsetenv("RINGSIDE_TEST_TIME_SCALE");
    earlier.close();
    CHECK(becomes(0, RunState::done));
    CHECK(runs()[0].attempt == 1);
}

TEST_CASE_FIXTURE(Orders, "an order that a locked database refuses is kept once it is given again")
{
    goAway();
    must(conductor->saveExperiment(experiment("[1]", 1, 5)));
    REQUIRE(!conductor->launch({"kill"}));
    spec::Experiment waiting = experiment("[1]", 2, 5);
    waiting.name = "waiting";
    must(conductor->saveExperiment(waiting));
    (void)conductor->launch({waiting.name});
    const ControlOrder hold{{Control::Kind::hold}, waiting.name};
    const ControlOrder cancel{{Control::Kind::cancelRun, runs().at(1).id}};
    {
        SQLite::Database locked(options().store.string(), SQLite::OPEN_READWRITE, kLockWaitMs);
        const SQLite::Transaction lock(locked, SQLite::TransactionBehavior::IMMEDIATE);
        for (const ControlOrder& order : {hold, cancel}) {
            const auto refused = conductor->control(order);
            REQUIRE(!refused);
            CHECK(refused.error().code == ErrorCode::busy);
        }
    }
    CHECK_FALSE(runs().at(1).state == RunState::cancelled);
    must(conductor->control(hold));
    must(conductor->control(cancel));
    reopen();
    REQUIRE(becomes(0, RunState::done));
    must(conductor->collect());
    CHECK(must(store::campaigns(reader(), true)).back().held);
    CHECK(runs().at(1).state == RunState::cancelled);
    must(conductor->control({{Control::Kind::proceed}, waiting.name}));
    REQUIRE(becomes(2, RunState::done));
    CHECK(runs().at(1).attempt == 0);
}

TEST_CASE_FIXTURE(Orders, "a run that is done again after its site was cleaned up has its results")
{
    launch(experiment("[1]", 1, 500)); // longer than the cancel takes
    REQUIRE(becomes(0, RunState::running));
    order(Control::Kind::cancel);
    REQUIRE(isOver());
    REQUIRE(runs()[0].state == RunState::cancelled);
    REQUIRE(runs()[0].attempt == 1);
    for (const fs::path& gone : {root / "runs", root / "campaigns"})
        fs::remove_all(gone);
    must(conductor->launch({"kill"}));
    REQUIRE(becomes(0, RunState::done));
    must(conductor->collect());
    CHECK(runs()[0].attempt == 2);
    CHECK(runs()[0].samples == 500);
    CHECK(fs::exists(layout::attemptFolder(root, runs()[0].id, 2)));
}

TEST_CASE_FIXTURE(Orders,
                  "of a campaign whose folder is removed while it runs all is fetched that its ranks still write")
{
    launch(experiment("[1]", 1, 5'000));
    REQUIRE(becomes(0, RunState::running));
    const std::string run = runs()[0].id.str();
    REQUIRE(!processes(run).empty());
    fs::remove_all(campaign());
    CHECK(isOver());
    CHECK(processes(run).empty());
    CHECK(requireStoreEqualsSpools(options().store, root) > 0);
    CHECK(runs()[0].state == RunState::failed);
    CHECK(runs()[0].reason == because(why::kFilesGone));
}

TEST_CASE_FIXTURE(Orders, "collect is answered although a campaign cannot be read; it can be cancelled, or read later")
{
    launch(experiment("[1]", 1, 500));
    REQUIRE(becomes(0, RunState::running));
    conductor.reset();
    const std::string plan = must(readFile(layout::planFile(campaign())));
    must(writeFileAtomically(layout::planFile(campaign()), "{"));
    conductor = open(sink);
    const auto collected = conductor->collect();
    REQUIRE(!collected);
    CHECK(collected.error().code == ErrorCode::damaged);
    SUBCASE("it can be cancelled")
    {
        order(Control::Kind::cancel);
        CHECK(isOver());
        CHECK(runs()[0].state == RunState::cancelled);
    }
    SUBCASE("it is read as soon as it can be")
    {
        must(writeFileAtomically(layout::planFile(campaign()), plan));
        CHECK(becomes(0, RunState::done));
        must(conductor->collect());
        CHECK(runs()[0].samples == 500);
    }
}

TEST_CASE_FIXTURE(Orders, "a campaign whose site has another root now is not given up, and says where it lies")
{
    launch(experiment("[1]", 1, 500));
    REQUIRE(becomes(0, RunState::running));
    conductor.reset();
    ConductorOptions moved = options();
    moved.localRoot = folder / "moved";
    conductor = must(WaitingConductor::open(moved, sink));
    const auto collected = conductor->collect();
    REQUIRE(!collected);
    CHECK(collected.error().code == ErrorCode::unavailable);
    CHECK(collected.error().message.find(root.string() + ",") != std::string::npos);
    CHECK(collected.error().message.find(moved.localRoot.string() + " now.") != std::string::npos);
    CHECK_FALSE(isFinal(runs()[0].state));
    SUBCASE("it goes on once the root is set back")
    {
        reopen();
        CHECK(becomes(0, RunState::done));
        must(conductor->collect());
        CHECK(runs()[0].samples == 500);
    }
    SUBCASE("it can be cancelled where that folder is lost")
    {
        const auto cancelled = conductor->control({{Control::Kind::cancel}, "kill"});
        REQUIRE(!cancelled);
        CHECK(cancelled.error().message == collected.error().message);
        CHECK(isOver());
        CHECK(runs()[0].state == RunState::cancelled);
    }
}

TEST_CASE_FIXTURE(Orders,
                  "a campaign is not given up while the root of its site is empty, as a disk that is not mounted")
{
    launch(experiment("[1]", 1, 500));
    REQUIRE(becomes(0, RunState::running));
    conductor.reset();
    waitForRunnersToEnd();
    const fs::path away = folder / "away";
    fs::rename(root, away);
    conductor = open(sink);
    for (int look = 0; look < 3; ++look) {
        const auto collected = conductor->collect();
        REQUIRE(!collected);
        CHECK(collected.error().code == ErrorCode::unavailable);
        CHECK(collected.error().message.find("holds no campaigns") != std::string::npos);
    }
    CHECK_FALSE(isFinal(runs()[0].state));
    SUBCASE("what is wrong is said once")
    {
        const auto said = sink.problems.size();
        std::this_thread::sleep_for(std::chrono::seconds(12));
        CHECK(sink.problems.size() == said);
    }
    SUBCASE("it is collected once the root is back")
    {
        conductor.reset();
        fs::remove_all(root);
        fs::rename(away, root);
        conductor = open(sink);
        must(conductor->collect());
        CHECK(runs()[0].state == RunState::done);
        CHECK(runs()[0].samples == 500);
    }
    SUBCASE("it can be cancelled where that folder is lost")
    {
        CHECK(!conductor->control({{Control::Kind::cancel}, "kill"}));
        CHECK(isOver());
        CHECK(runs()[0].state == RunState::cancelled);
    }
}

TEST_CASE_FIXTURE(Orders, "a campaign that was cancelled while it waited ends once its end can be written down")
{
    SQLite::Database store(options().store.string(), SQLite::OPEN_READWRITE, kLockWaitMs);
    launchOneAndTwoThatWait();
    store.exec("CREATE TRIGGER refusing BEFORE UPDATE OF stage ON campaigns WHEN OLD.stage = 'waiting' AND "
               "NEW.stage = 'ended' BEGIN SELECT raise(ABORT, 'full'); END");
    order(Control::Kind::cancel);
    REQUIRE(sink.waitUntil([&] { return !sink.problems.empty(); }));
    REQUIRE(sink.waitUntil([&] { return must(store::campaigns(reader(), true)).size() == 1; }));
    store.exec("DROP TRIGGER refusing");
    CHECK(isOver());
    for (const std::size_t run : {1, 2}) {
        CHECK(runs()[run].state == RunState::cancelled);
        CHECK(runs()[run].attempt == 0);
    }
}

TEST_CASE_FIXTURE(Orders, "a campaign that was carried out ends once its end can be written down")
{
    SQLite::Database store(options().store.string(), SQLite::OPEN_READWRITE, kLockWaitMs);
    store.exec("CREATE TRIGGER refusing BEFORE UPDATE OF stage ON campaigns WHEN NEW.stage = 'ended' "
               "BEGIN SELECT raise(ABORT, 'full'); END");
    launch(experiment("[1]", 1, 5));
    REQUIRE(sink.waitUntil([&] { return !sink.problems.empty(); }));
    CHECK(runs()[0].state == RunState::done);
    store.exec("DROP TRIGGER refusing");
    CHECK(isOver());
}

TEST_CASE_FIXTURE(Orders, "what could not be written down is not handed over")
{
    SQLite::Database store(options().store.string(), SQLite::OPEN_READWRITE, kLockWaitMs);
    launchOneAndTwoThatWait();
    order(Control::Kind::cancelRun, runs()[1].id);
    store.exec("CREATE TRIGGER refusing BEFORE UPDATE OF plan ON campaigns BEGIN SELECT raise(ABORT, 'full'); END");
    REQUIRE(sink.waitUntil([&] { return !sink.problems.empty(); }));
    CHECK(sink.problems.front().text().find("refused a statement") != std::string::npos);
    CHECK(runs()[0].state == RunState::done);
    REQUIRE(sink.waitUntil([&] { return sink.problems.size() > 1; })); // nor the next time
    CHECK(must(store::campaigns(reader(), true)).size() == 1);
    CHECK(runs()[2].attempt == 0);
    store.exec("DROP TRIGGER refusing");
    REQUIRE(becomes(2, RunState::done));
    CHECK(runs()[1].state == RunState::cancelled);
    CHECK(must(planFromJson(must(readFile(layout::planFile(campaign()))))).runs.size() == 1);
}

TEST_CASE_FIXTURE(Orders, "a dead runner whose successor could not be written down has one once that can be done")
{
    SQLite::Database store(options().store.string(), SQLite::OPEN_READWRITE, kLockWaitMs);
    launch(experiment("[1]", 2, 200));
    REQUIRE(becomes(0, RunState::done));
    REQUIRE(begins(1));
    store.exec("CREATE TRIGGER refusing BEFORE UPDATE OF stage ON campaigns WHEN NEW.stage = 'submitting' "
               "BEGIN SELECT raise(ABORT, 'full'); END");
    for (const int runner : processes("ringside-agent\trun\t"))
        ::kill(runner, SIGKILL);
    REQUIRE(sink.waitUntil([&] { return !sink.problems.empty(); }));
    store.exec("DROP TRIGGER refusing");
    CHECK(becomes(1, RunState::done));
    CHECK(runs()[1].attempt == 2);
    CHECK(must(planFromJson(must(store::campaigns(reader())).back().planJson)).runs.size() == 2);
}
