// SPDX-License-Identifier: MIT
#include "app/session/knownsites.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/session/translations.h"
#include "app/text/text.h"

#include "core/base/clock.h"
#include "core/base/words.h"
#include "core/spec/toml.h"
#include "tests/app/support/saveexperiment.h"

#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QTimer>
#include <QTranslator>
#include <algorithm>
#include <atomic>

namespace ringside {

using namespace std::chrono_literals;

namespace {

SampleBatch batchOf(std::size_t samples, std::uint32_t firstSeq)
{
    SampleBatch batch;
    batch.run = RunId::random();
    batch.samples.resize(samples);
    for (std::size_t i = 0; i < samples; ++i)
        batch.samples[i].seq = firstSeq + std::uint32_t(i);
    return batch;
}

spec::Experiment someExperiment()
{
    return *spec::parseExperiment("format = 1\nname = \"one\"\n[factors]\nranks = [1, 2]\n[fixed]\nmodel = \"lenet\"\n"
                                  "batch_per_rank = 4\nimage_size = 32\ndata = \"synthetic\"\n");
}

/// Waits until everything that was given to the thread before is done, and its answers have come or never will.
void awaitDelivery(TaskThread& thread, QObject& context)
{
    bool last = false;
    runAlways(
        thread, &context, [] { return true; }, [&](bool) { last = true; });
    QVERIFY(QTest::qWaitFor([&] { return last; }));
}

/// Has a form of its own for two of something, as Slovene has.
class Dual : public QTranslator
{
public:
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* singular, int n) const override
    {
        if (QLatin1String(context) != QLatin1String("Words") || QLatin1String(singular) != QLatin1String("{} node"))
            return {};
        return n == 2 ? QStringLiteral("both nodes") : QString::fromUtf8(source);
    }
};

} // namespace

class SessionTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    fs::path store(const char* name) const { return fs::path(m_folder.path().toStdString()) / name; }

private Q_SLOTS:
    void whatIsKnownOfSitesOutlivesTheProgram()
    {
        using Kind = SiteStep::Kind;
        using State = SiteStep::State;
        const QString alder = QStringLiteral("alder");
        Preferences preferences(m_folder.filePath(QStringLiteral("known.ini")));
        const auto now = std::make_unique<QtSink>();
        auto states = std::make_unique<SiteStates>(*now);
        auto known = std::make_unique<KnownSites>(*states, preferences);
        now->siteStepped({"alder", Kind::storage, State::failed, "No space", "Choose another folder.", 1200ms});
        now->siteStepped({"alder", Kind::mpi, State::running, "looking", {}, {}});
        now->siteFound("alder", {{"GPUs", "4 × A100"}});
        QVERIFY(QTest::qWaitFor([&] { return states->stepsOf(alder).size() == 2; }));
        states->restore(alder, {}); // a second window of this start
        QCOMPARE(states->stepsOf(alder).size(), 2u);
        QVERIFY(states->stepsAsOf(alder) == 0 && states->factsAsOf(alder) == 0);
        known.reset();

        states = std::make_unique<SiteStates>(*now); // the next start
        known = std::make_unique<KnownSites>(*states, preferences);
        states->forgetAll(); // as a database is opened
        const SiteStates::Steps steps = states->stepsOf(alder);
        QCOMPARE(steps.size(), 1u); // what ran then runs no more
        QCOMPARE(steps.at(Kind::storage).text, std::string("No space"));
        QCOMPARE(steps.at(Kind::storage).hint, std::string("Choose another folder."));
        QVERIFY(steps.at(Kind::storage).state == State::failed && steps.at(Kind::storage).took == 1200ms);
        QCOMPARE(states->factsOf(alder), (std::vector<SiteFact>{{"GPUs", "4 × A100"}}));
        QVERIFY(states->stepsAsOf(alder) > 0 && states->factsAsOf(alder) > 0);
        QVERIFY(states->statusOf(alder).contact == SiteStatus::Contact::never);
        now->siteStepped({"alder", Kind::storage, State::ok, "120 GB", {}, {}});
        QVERIFY(QTest::qWaitFor([&] { return states->stepsAsOf(alder) == 0; }));
        states->forgetKnown(alder);
        known.reset();

        states = std::make_unique<SiteStates>(*now);
        known = std::make_unique<KnownSites>(*states, preferences);
        QVERIFY(states->stepsOf(alder).empty() && states->factsOf(alder).empty());

        states->beginTest(alder);
        now->siteStepped({"alder", Kind::storage, State::ok, "120 GB", {}, {}});
        QVERIFY(QTest::qWaitFor([&] { return states->stepsOf(alder).size() == 1; }));
        states->forget(alder); // kept at once
        QVERIFY(states->stepsOf(alder).empty() && !states->wasTested(alder));
        SiteStates others(*now);
        const KnownSites next(others, preferences);
        QVERIFY(others.stepsOf(alder).empty());
    }

    void coreCountsAsTheLanguageDoes()
    {
        const auto nodes = [](std::uint64_t count) { return Words::counted("{} nodes", "{} node", count); };
        installLanguage(*QCoreApplication::instance(), QStringLiteral("en"));
        QCOMPARE(nodes(1), std::string("1 node"));
        QCOMPARE(nodes(2), std::string("2 nodes"));
        Dual language;
        QCoreApplication::installTranslator(&language);
        QCOMPARE(nodes(2), std::string("both nodes"));
        QCOMPARE(Words::tr("Ranks: {}", 2), std::string("Ranks: 2"));
    }

    void onlyTheNewestQuestionIsAnswered()
    {
        TaskThread thread("test");
        QObject context;
        JobTracker tracker;
        std::vector<int> answers;
        for (int i = 0; i < 5; ++i)
            runLatest(
                thread, tracker, &context, [i](const std::stop_token&) { return i; },
                [&](int value) { answers.push_back(value); });
        awaitDelivery(thread, context);
        QCOMPARE(answers, std::vector<int>{4});
    }

    void newsQuickerThanAnswersDoNotKeepThemAway()
    {
        QObject context;
        JobTracker tracker;
        std::atomic<int> asked = 0;
        std::vector<int> answers;
        TaskThread thread("test");
        const auto ask = [&] {
            const int number = asked++;
            const auto work = [&, number](const std::stop_token&) {
                while (asked < number + 3 && asked < 50) // two further questions come meanwhile
                    QTest::qSleep(1);
                return number;
            };
            runRepeatedly(thread, tracker, &context, work, [&](int value) { answers.push_back(value); });
        };
        QTimer news;
        connect(&news, &QTimer::timeout, &context, [&] { asked < 50 ? ask() : news.stop(); });
        news.start(1);
        QVERIFY(QTest::qWaitFor([&] { return !answers.empty(); }));
        QVERIFY2(asked < 50, "the first answer comes before the news end");
        QVERIFY(QTest::qWaitFor([&] { return answers.back() == 49; }));
        QVERIFY(std::ranges::is_sorted(answers));
    }

    void anotherQuestionReplacesTheRepeatedOne()
    {
        QObject context;
        JobTracker tracker;
        std::atomic<bool> goOn = false;
        std::vector<int> answers;
        TaskThread thread("test");
        const auto ask = [&](int number) {
            const auto work = [&, number](const std::stop_token&) {
                while (!goOn)
                    QTest::qSleep(1);
                return number;
            };
            runRepeatedly(thread, tracker, &context, work, [&](int value) { answers.push_back(value); });
        };
        ask(1);
        ask(2);
        tracker.cancel();
        ask(3);
        goOn = true;
        QVERIFY(QTest::qWaitFor([&] { return !answers.empty(); }));
        QCOMPARE(answers, std::vector<int>{3});
    }

    void noAnswerWithoutAsker()
    {
        TaskThread thread("test");
        QObject context;
        bool answered = false;
        std::atomic<bool> worked = false;
        auto tracker = std::make_unique<JobTracker>();
        const auto work = [&](const std::stop_token&) { return worked.exchange(true); };
        runLatest(thread, *tracker, &context, work, [&](bool) { answered = true; });
        for (int i = 0; i < 500 && !worked; ++i) // without the event loop, which would deliver the answer
            QTest::qSleep(10);
        QVERIFY(worked);
        tracker.reset();
        awaitDelivery(thread, context);
        QVERIFY(!answered);
    }

    void whatMustBeDoneIsDoneThoughTheThreadEnds()
    {
        QObject context;
        std::atomic<int> begun = 0, asked = 0, written = 0;
        JobTracker tracker;
        {
            TaskThread thread("test");
            thread.post([&] { ++begun, QTest::qSleep(50); }); // the others stand behind it when the thread ends
            runLatest(
                thread, tracker, &context, [&](const std::stop_token&) { return ++asked; }, [](int) {});
            for (int i = 0; i < 2; ++i)
                runAlways(
                    thread, &context, [&] { return ++written; }, [](int) {});
            while (begun == 0)
                QTest::qSleep(1);
        }
        QCOMPARE(asked, 0);
        QCOMPARE(written, 2);
    }

    void sinkGivesOutOnOneClockAndInOrder()
    {
        QtSink sink;
        std::vector<std::uint32_t> seen;
        int ticks = 0;
        connect(&sink, &QtSink::samplesReceived, &sink, [&](const std::vector<SampleBatch>& batches) {
            ++ticks;
            for (const auto& batch : batches)
                for (const auto& sample : batch.samples)
                    seen.push_back(sample.seq);
        });
        std::jthread producer([&] {
            for (std::uint32_t i = 0; i < 300; ++i) {
                sink.samplesArrived(batchOf(10, i * 10));
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        });
        QVERIFY(QTest::qWaitFor([&] { return seen.size() == 3000; }));
        QVERIFY(std::is_sorted(seen.begin(), seen.end()));
        QVERIFY2(ticks < 60, "the sink must collect, not forward");
    }

    void sinkIsBoundedAndSaysSo()
    {
        QtSink sink;
        std::size_t received = 0, leftOut = 0;
        connect(&sink, &QtSink::samplesReceived, &sink, [&](const std::vector<SampleBatch>& batches) {
            for (const auto& batch : batches)
                received += batch.samples.size();
        });
        connect(&sink, &QtSink::samplesLeftOut, &sink, [&](std::size_t count) { leftOut += count; });
        constexpr std::size_t kBatches = 100, kPerBatch = 1000;
        for (std::size_t i = 0; i < kBatches; ++i)
            sink.samplesArrived(batchOf(kPerBatch, 0));
        QVERIFY(QTest::qWaitFor([&] { return received > 0; }));
        QVERIFY(received <= QtSink::kMaxSamples);
        QCOMPARE(received + leftOut, kBatches * kPerBatch);
    }

    void aChangeIsSaidBeforeItsCommandEnds()
    {
        QtSink sink;
        QStringList order;
        connect(&sink, &QtSink::runsOutdated, &sink, [&] { order << QStringLiteral("rows"); });
        sink.experimentsChanged({"one"});
        sink.deliver([&] { order << QStringLiteral("end"); });
        QVERIFY(QTest::qWaitFor([&] { return order.size() == 2; }));
        QCOMPARE(order, (QStringList{QStringLiteral("rows"), QStringLiteral("end")}));
    }

    void opensStoresAndAnswers()
    {
        Session session({});
        session.open(store("a.db"));
        QCOMPARE(session.access(), Session::Access::opening);
        QVERIFY(QTest::qWaitFor([&] { return session.access() == Session::Access::writing; }));
        const auto saved = test::save(session, someExperiment());
        QVERIFY2(saved.has_value(), saved ? "" : saved.error().text().c_str());
        JobTracker tracker;
        std::vector<store::ExperimentRow> rows;
        session.queries().ask(
            tracker, [](const store::Database& db, const std::stop_token&) { return store::experiments(db); },
            [&](Result<std::vector<store::ExperimentRow>> answer) { rows = answer.value_or(rows); });
        QVERIFY(QTest::qWaitFor([&] { return rows.size() == 1; }));
        QCOMPARE(rows.front().name, std::string("one"));
    }

    void aSecondOneReadsAndNamesTheFirst()
    {
        Session first({}), second({});
        first.open(store("b.db"));
        QVERIFY(QTest::qWaitFor([&] { return first.access() == Session::Access::writing; }));
        second.open(store("b.db"));
        QVERIFY(QTest::qWaitFor([&] { return second.access() == Session::Access::reading; }));
        QVERIFY(second.obstacle().message.find(std::to_string(getpid())) != std::string::npos);
        const auto saved = test::save(second, someExperiment());
        QVERIFY(!saved);
        QCOMPARE(int(saved.error().code), int(ErrorCode::busy));
    }

    void aDatabaseThatIsOpenedAtTheEndIsClosedWithTheSession()
    {
        const auto path = store("late.db");
        QtSink sink;
        SinkGate gate(sink);
        QObject context;
        std::optional<bool> isFree;
        {
            Session session({});
            connect(&session, &QObject::destroyed, &context, [&] { // its members are gone by now
                ConductorOptions options;
                options.store = path;
                isFree = Conductor::open(options, gate).has_value();
            });
            session.open(path);
            for (int i = 0; i < 10'000 && !fs::exists(path); ++i)
                QThread::msleep(1);
        }
        QVERIFY(isFree.has_value() && *isFree);
    }

    void aForeignFileIsRefusedAndLeftAlone()
    {
        const auto path = store("notes.db");
        QVERIFY(writeFileAtomically(path, "these are my notes, not a database"));
        Session session({});
        session.open(path);
        QVERIFY(QTest::qWaitFor([&] { return session.access() == Session::Access::none; }));
        QVERIFY(!session.obstacle().message.empty());
        QCOMPARE(*readFile(path), std::string("these are my notes, not a database"));
    }

    void theLogKeepsTheNewestLines()
    {
        ProgramLog log;
        log.add(QStringLiteral("first"), QStringLiteral("two\nlines"));
        QCOMPARE(log.lines().size(), 2);
        QVERIFY(log.lines().last().endsWith(QStringLiteral(" first: lines")));
        std::vector<std::jthread> writers;
        for (int writer = 0; writer < 4; ++writer)
            writers.emplace_back([&] {
                for (std::size_t i = 0; i < ProgramLog::kKept; ++i)
                    log.add(QStringLiteral("thread"), QString(5'000, QLatin1Char('x')));
            });
        writers.clear();
        log.add(QStringLiteral("last"), QStringLiteral("bell \a"));
        QCOMPARE(log.lines().size(), qsizetype(ProgramLog::kKept));
        QVERIFY(log.lines().last().endsWith(QStringLiteral(" last: bell ?")));
        QVERIFY(log.lines().first().size() < 2 * ProgramLog::kMostOfALine);
    }

    void messagesOfQtAreKeptAndGoOn()
    {
        ProgramLog log;
        QTest::ignoreMessage(QtWarningMsg, "heard by both"); // fails if it does not arrive
        {
            const MessageCapture capture(log);
            qWarning("heard by both");
        }
        QTest::ignoreMessage(QtWarningMsg, "not kept");
        qWarning("not kept");
        QCOMPARE(log.lines().size(), 1);
        QVERIFY2(log.lines().first().endsWith(QStringLiteral(" warning default: heard by both")),
                 qPrintable(log.lines().first()));
    }

    void whatTheConductorTellsIsLogged()
    {
        Session session({});
        session.open(store("c.db"));
        QVERIFY(QTest::qWaitFor([&] { return session.access() == Session::Access::writing; }));
        session.live().problem({ErrorCode::io, "The disk is slow.", "Wait."});
        session.live().siteChanged({"local", SiteStatus::Contact::lost, wallNs(), "no answer for 30 s"});
        session.request(&session, calling(&Conductor::launch, LaunchRequest{.experiment = "nothing"}));
        const auto logs = [&](const char* words) {
            return QTest::qWaitFor([&] { return session.log().lines().join(u'\n').contains(QLatin1String(words)); });
        };
        for (const char* words : {"database: writing ", "problem: The disk is slow. Wait.",
                                  "site: local is without contact: no answer for 30 s", "refused: "})
            QVERIFY2(logs(words), words);
    }

    void whatATestFoundStaysUntilTheNext()
    {
        Session session({});
        SiteStates& sites = session.sites();
        const QString alder = QStringLiteral("alder");
        using Kind = SiteStep::Kind;
        const auto tell = [&](Kind kind, const char* text, SiteStep::State state = SiteStep::State::ok) {
            session.live().siteStepped({"alder", kind, state, text, {}, {}, std::nullopt});
            return QTest::qWaitFor([&] {
                const auto steps = sites.stepsOf(alder);
                return steps.contains(kind) && steps.at(kind).text == text;
            });
        };
        QVERIFY(!sites.wasTested(alder));
        session.live().siteChanged({"alder", SiteStatus::Contact::connected, wallNs(), {}});
        QVERIFY(QTest::qWaitFor([&] { return sites.statusOf(alder).contact == SiteStatus::Contact::connected; }));
        sites.beginTest(alder);
        for (const Kind kind : kSiteSteps)
            QVERIFY(tell(kind, "first"));
        sites.endTest(alder);
        QVERIFY(sites.wasTested(alder));
        QVERIFY(tell(Kind::agent, "after a reconnect"));
        QCOMPARE(sites.stepsOf(alder).size(), kSiteSteps.size());
        // One that joins a worker's build gets no news from before that.
        sites.beginTest(alder);
        QCOMPARE(sites.stepsOf(alder).size(), std::size_t(4)); // those of the line that stands
        QVERIFY(tell(Kind::worker, "second"));
        sites.endTest(alder);
        QCOMPARE(sites.stepsOf(alder).at(Kind::storage).text, std::string("first"));
        QVERIFY2(!sites.stepsOf(alder).contains(Kind::node), "it was not asked again");
        const auto steps = sites.stepsOf(alder).size();
        sites.beginTest(alder); // and could not begin
        sites.endTest(alder);
        QCOMPARE(sites.stepsOf(alder).size(), steps);
        // Steps after a failure were not tried.
        sites.beginTest(alder);
        QVERIFY(tell(Kind::scheduler, "away", SiteStep::State::failed));
        sites.endTest(alder);
        QVERIFY(!sites.stepsOf(alder).contains(Kind::worker));
    }

    void theLogOfABuildGrowsUntilTheNextBuild()
    {
        Session session({});
        SiteStates& sites = session.sites();
        const QString alder = QStringLiteral("alder");
        using State = SiteStep::State;
        const auto tell = [&](State state, const std::string& log) {
            SiteStep step{"alder", SiteStep::Kind::worker, state, "Compiling", {}, {}, 10};
            step.log = log;
            session.live().siteStepped(step);
        };
        const auto reads = [&](const QStringList& lines) {
            return QTest::qWaitFor([&] { return sites.buildLogOf(alder) == lines; });
        };
        tell(State::running, "$ cmake\nfi");
        tell(State::running, "rst\n\x1b[31mred\x1b[0m\n"); // before the one above was taken
        QVERIFY(reads({QStringLiteral("$ cmake"), QStringLiteral("first"), QStringLiteral("red")}));
        tell(State::failed, {});
        QVERIFY(
            QTest::qWaitFor([&] { return sites.stepsOf(alder).at(SiteStep::Kind::worker).state == State::failed; }));
        tell(State::running, "$ again\n");
        QVERIFY(reads({QStringLiteral("$ again")}));
        std::string long_;
        for (int i = 0; i < 6000; ++i)
            long_ += fmt::format("{}\n", i);
        tell(State::running, long_);
        QVERIFY(QTest::qWaitFor([&] { return sites.buildLogOf(alder).size() == kMostLogLines; }));
        QCOMPARE(sites.buildLogOf(alder).back(), QStringLiteral("5999"));
    }

    void pathsAreToldWithoutTheHomeFolder()
    {
        const QString home = QDir::homePath();
        QCOMPARE(withoutHome(QStringLiteral("“%1/a.db” and %1.").arg(home)), QStringLiteral("“~/a.db” and ~."));
        const QString others = QStringLiteral("/srv%1/a.db %1s/a.db").arg(home);
        QCOMPARE(withoutHome(others), others);
    }

    void preferencesSurviveAndAreBounded()
    {
        const QString file = m_folder.filePath(QStringLiteral("settings.ini"));
        {
            Preferences preferences(file);
            QCOMPARE(preferences.repeats(), 6);
            preferences.setAppearance(Appearance::dark);
            preferences.setTextPercent(500);
        }
        const Preferences preferences(file);
        QCOMPARE(int(preferences.appearance()), int(Appearance::dark));
        QCOMPARE(preferences.textPercent(), 130);
    }
};

} // namespace ringside

QTEST_GUILESS_MAIN(ringside::SessionTest)
#include "test_session.moc"
