// SPDX-License-Identifier: GPL-3.0-or-later
// The one list of experiments: news of runs move its counts, what was just made is found, and no more is asked
// of the store than that.
#include "app/shell/actions.h"
#include "app/shell/page.h"
#include "app/text/text.h"
#include "app/window/worktracker.h"
#include "core/planning/planning.h"
#include "core/spec/matrix.h"
#include "core/spec/toml.h"
#include "core/store/edits.h"
#include "tests/app/support/windowfixture.h"
#include "tests/support/addcampaign.h"

#include <QAction>
#include <QComboBox>
#include <QSignalSpy>
#include <QTest>
#include <SQLiteCpp/SQLiteCpp.h>
#include <algorithm>

namespace ringside::test {

namespace {

spec::Experiment experimentNamed(const char* name)
{
    auto experiment = *spec::parseExperiment("format = 1\nname = \"one\"\n[factors]\nranks = [1, 2]\n[fixed]\n"
                                             "model = \"lenet\"\nbatch_per_rank = 4\nimage_size = 32\n"
                                             "data = \"synthetic\"\n[runs]\nrepeats = 2\n");
    experiment.name = name;
    return experiment;
}

/// Stores the experiment with all its runs queued; no runner carries them out.
void addQueued(const fs::path& path, const spec::Experiment& experiment)
{
    auto db = store::Database::openForWriting(path);
    QVERIFY(db.has_value());
    QVERIFY(store::saveExperiment(*db, editOf(experiment, {"local"}).value()).has_value());
    ReadySite here;
    here.site.name = "local";
    CampaignPlan plan =
        planOf(experiment, db->id(), here, missingSpecs(experiment, spec::expand(experiment).value(), {}, false, {}));
    QVERIFY(test::addCampaign(*db, plan).has_value());
    QVERIFY(store::setStage(*db, plan.campaign, campaign::Stage::ended).has_value());
}

/// One window on an experiment of four queued runs.
struct Queued : WindowFixture
{
    Queued()
    {
        addQueued(store(), experimentNamed("one"));
        show();
        settle();
    }

    ExperimentList& list() { return session().experiments(); }
    store::RunCounts counts()
    {
        const auto found = std::ranges::find(list().rows(), "one", &store::ExperimentRow::name);
        return found == list().rows().end() ? store::RunCounts{} : found->runs;
    }
    /// All its runs, as if they had come to this state, which the store does not know.
    std::vector<store::RunRow> runsIn(RunState state)
    {
        auto runs = store::runs(*store::Database::openForReading(store())).value();
        for (store::RunRow& run : runs)
            run.state = state;
        return runs;
    }
    /// As the conductor would; the store says otherwise, and is believed once it is asked.
    void tell(const std::vector<store::RunRow>& runs)
    {
        session().live().runsChanged(runs);
        settle();
    }
    void tell(RunState state) { tell({runsIn(state).front()}); }
};

} // namespace

class ExperimentListTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aWindowThatOnlyReadsShowsWhatAnotherProgramAdds()
    {
        Queued fixture;
        Session reader({});
        reader.open(fixture.store());
        QVERIFY(waitFor([&] { return reader.access() == Session::Access::reading; }));
        QVERIFY(waitFor([&] { return reader.experiments().holds(QStringLiteral("one")); }));
        QVERIFY(save(fixture.session(), experimentNamed("two")).has_value());
        QVERIFY(waitFor([&] { return reader.experiments().holds(QStringLiteral("two")); }));
    }

    void aDatabaseThatCannotBeWrittenIsShown()
    {
        const QTemporaryDir folder;
        const fs::path store = toPath(folder.path()) / "lab.db", lock = store.string() + "-lock";
        addQueued(store, experimentNamed("one"));
        fs::remove(lock);
        fs::create_directory(lock); // nothing can write the database now, be it root
        Session session({});
        session.open(store);
        QVERIFY(waitFor([&] { return session.access() == Session::Access::reading; }));
        QVERIFY2(session.obstacle().message.find("cannot lock") != std::string::npos,
                 session.obstacle().text().c_str());
        QVERIFY(waitFor([&] { return session.experiments().holds(QStringLiteral("one")); }));
        fs::remove(lock);
        QVERIFY(waitFor([&] { return session.access() == Session::Access::writing; }));
    }

    void countsFollowTheRunsThatAreTold()
    {
        Queued fixture;
        QCOMPARE(fixture.counts(), (store::RunCounts{.total = 4, .queued = 4}));
        fixture.tell(RunState::running);
        QCOMPARE(fixture.counts(), (store::RunCounts{.total = 4, .queued = 3, .running = 1}));
        QSignalSpy changes(&fixture.list(), &ExperimentList::changed);
        fixture.tell(RunState::running); // how far it is changes no count
        QCOMPARE(changes.size(), 0);
        fixture.tell(RunState::failed);
        fixture.tell(RunState::failed);
        QCOMPARE(fixture.counts(), (store::RunCounts{.total = 4, .queued = 3, .failed = 1}));
        QCOMPARE(changes.size(), 1);
    }

    void theStoreIsAskedWhereMoreChangedThanIsTold()
    {
        Queued fixture;
        fixture.tell(RunState::running);
        fixture.session().live().experimentsChanged({"one"});
        settle();
        QCOMPARE(fixture.counts().running, 0);
        fixture.tell(RunState::done);
        fixture.tell(RunState::unknown); // since when is not in the row alone
        QCOMPARE(fixture.counts().done, 0);
        QCOMPARE(fixture.counts().queued, 4);
    }

    void theEndOfTheLastRunIsToldOnce()
    {
        Queued fixture;
        WorkTracker work(fixture.session());
        QSignalSpy ends(&work, &WorkTracker::experimentEnded);
        for (const RunState state : {RunState::running, RunState::done, RunState::done})
            fixture.tell(fixture.runsIn(state));
        QCOMPARE(work.unfinished().total, 0);
        QCOMPARE(ends.size(), 1);
        QCOMPARE(ends.front().front().value<store::ExperimentRow>().runs, (store::RunCounts{.total = 4, .done = 4}));
    }

    void rowsThatOvertakeAnAnswerAreNotUndoneByIt()
    {
        Queued fixture;
        WorkTracker work(fixture.session());
        QSignalSpy ends(&work, &WorkTracker::experimentEnded);
        settle();
        const std::vector<store::RunRow> runs = fixture.runsIn(RunState::done);
        fixture.list().visit(QStringLiteral("unknown")); // asks the store, where all are queued
        Q_EMIT fixture.session().live().runsUpdated(runs);
        QCOMPARE(ends.size(), 0); // until it has answered
        settle();
        QCOMPARE(fixture.counts(), (store::RunCounts{.total = 4, .queued = 4}));
        QCOMPARE(ends.size(), 0);
    }

    void runsOfAnEarlierMatrixAreFollowedToTheirEnd()
    {
        Queued fixture;
        spec::Experiment edited = experimentNamed("one");
        edited.fixed["batch_per_rank"] = Value(std::int64_t{8}); // which makes other cells
        QVERIFY(save(fixture.session(), edited));
        settle();
        QCOMPARE(fixture.counts(), (store::RunCounts{.total = 4, .queued = 4}));
        fixture.tell(RunState::running);
        QCOMPARE(fixture.counts(), (store::RunCounts{.total = 4, .queued = 3, .running = 1}));
        fixture.go(PageId::monitor, QStringLiteral("one"));
        QVERIFY(waitFor([&] { return fixture.window().actions()[ActionId::cancel]->isEnabled(); }));
        auto db = store::Database::openForReading(fixture.store());
        QVERIFY(std::ranges::none_of(store::runs(*db).value(), &store::RunRow::inMatrix));
    }

    void whatWasJustSavedIsCompared()
    {
        Queued fixture;
        fixture.go(PageId::compare, QStringLiteral("one"));
        const spec::Experiment fresh = experimentNamed("fresh");
        fixture.session().request(
            &fixture.session(),
            [&](Conductor& conductor, Completion<> done) { conductor.saveExperiment(fresh, std::move(done)); },
            [&](const Result<void>&) {
                fixture.window().go({.page = PageId::compare, .experiment = QStringLiteral("fresh")});
            });
        QVERIFY(waitFor([&] {
            return shown<QComboBox>(*fixture.window().currentPage(), [](const QComboBox& combo) {
                return combo.currentText() == QStringLiteral("fresh");
            });
        }));
        QVERIFY(waitFor([&] { return fixture.window().currentPage()->windowName() == QStringLiteral("fresh"); }));
    }

    void whatCannotBeReadIsNotTakenForAbsentAndAskedForAgain()
    {
        Queued fixture;
        const auto rename = [&](const char* from, const char* to) {
            SQLite::Database db(fixture.store().string(), SQLite::OPEN_READWRITE, 10'000);
            db.exec(std::string("ALTER TABLE ") + from + " RENAME TO " + to);
        };
        const QSignalSpy failed(&fixture.list(), &ExperimentList::failed);
        const QString other = QStringLiteral("other");
        rename("experiments", "hidden");
        fixture.list().visit(other);
        QVERIFY(waitFor([&] { return failed.count() == 1; }));
        QVERIFY(!fixture.list().knows(other));
        rename("hidden", "experiments");
        fixture.list().visit();
        QVERIFY(waitFor([&] { return fixture.list().knows(other); }));
        QVERIFY(!fixture.list().holds(other));
        QCOMPARE(fixture.counts().total, 4);
    }

    void anotherDatabaseHasOthers()
    {
        Queued fixture;
        fixture.go(PageId::experiments);
        fixture.session().open(fixture.folder() / "other.db");
        QVERIFY(fixture.list().rows().empty());
        QVERIFY(waitFor([&] { return fixture.list().knows(); }));
        QVERIFY(fixture.list().rows().empty());
        fixture.session().open(fixture.store());
        QVERIFY(waitFor([&] { return fixture.counts().total == 4; }));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::ExperimentListTest)
#include "test_experimentlist.moc"
