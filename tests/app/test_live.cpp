// SPDX-License-Identifier: MIT
// The window while a run is live: a real one, by the whole way from its rank through the store; and one that is told of
// 20,000 samples a second, through the sink that the conductor tells: ranks, relay and store that brought so many would
// leave the window of a small machine no core, and how often it draws would be theirs to say. And what it makes of
// samples of several hosts.
#include "app/charts/throughputchart.h"
#include "app/pages/monitor/runmodel.h"
#include "app/pages/monitor/shownrun.h"
#include "app/widgets/numbers.h"
#include "core/spec/toml.h"
#include "core/store/queries.h"
#include "tests/app/support/livefeed.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/paints.h"
#include "tests/app/support/storedcalibration.h"
#include "tests/app/support/windowfixture.h"
#include "tests/support/lenetexperiment.h"

#include <QComboBox>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QtCharts/QLineSeries>

namespace ringside::test {

namespace {

const QString kExperiment = QString::fromLatin1(kMeasuredExperiment);

store::RunRow runOfFourRanks(const fs::path& path)
{
    const auto db = store::Database::openForReading(path);
    store::RunFilter filter;
    filter.experiment = kMeasuredExperiment;
    const std::vector<store::RunRow> runs = store::runs(db.value(), filter).value();
    for (const store::RunRow& run : runs)
        if (run.state == RunState::done && integerOf(run.settings, "ranks") == 4)
            return run;
    return {};
}

constexpr int kRunLimitMs = 120'000;
constexpr const char* kLong = "long";

/// An experiment of one run of the worker without torch, whose iterations take longer than any wait here.
spec::Experiment longExperiment()
{
    return spec::parseExperiment(lenetExperiment(kLong, "ranks = [1]", 1, 20'000)).value();
}

/// Gives it to the conductor and waits for its end.
void carryOut(WindowFixture& fixture, const std::function<void(Conductor&, Completion<>)>& make)
{
    std::optional<Result<void>> result;
    fixture.session().request(&fixture.session(), make, [&](const Result<void>& ended) { result = ended; });
    QVERIFY(waitFor([&] { return result.has_value(); }, kRunLimitMs));
    QVERIFY2(result->has_value(), result->has_value() ? "" : result->error().text().c_str());
}

/// The window on the page that shows the fed run.
class LiveWindow
{
public:
    LiveWindow()
    {
        m_fixture.fillStore();
        m_fixture.show();
        m_fixture.go(PageId::monitor, kExperiment);
        m_feed.emplace(m_fixture.session().live(), kExperiment.toStdString());
        m_chart = shown<ThroughputChart>(m_fixture.window(), [](const ThroughputChart&) { return true; });
    }

    WindowFixture& fixture() { return m_fixture; }
    LiveFeed& feed() { return *m_feed; }
    ThroughputChart* chart() { return m_chart; }
    QXYSeries* line() const { return qobject_cast<QXYSeries*>(m_chart->chart()->series().back()); }
    bool isShown() const { return m_chart && line() && line()->count() > 0; }

private:
    WindowFixture m_fixture;
    std::optional<LiveFeed> m_feed;
    ThroughputChart* m_chart = nullptr;
};

} // namespace

class LiveTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aRunIsDrawnAsItsSamplesComeAndEachComesOnce()
    {
        std::vector<std::uint32_t> heard; // numbers of iterations
        store::RunRow run;                // as it was announced last
        WindowFixture fixture;
        fixture.show();
        QVERIFY(waitFor([&] { return fixture.session().access() == Session::Access::writing; }));
        connect(&fixture.session().live(), &QtSink::samplesReceived, this,
                [&](const std::vector<SampleBatch>& batches) {
                    for (const SampleBatch& batch : batches)
                        std::ranges::transform(batch.samples, std::back_inserter(heard), &Sample::seq);
                });
        connect(&fixture.session().live(), &QtSink::runsUpdated, this,
                [&](const std::vector<store::RunRow>& rows) { run = rows.back(); });
        carryOut(fixture, [](Conductor& conductor, Completion<> done) {
            conductor.launch(launchOf(longExperiment(), spec::kLocalSite), std::move(done));
        });
        fixture.window().go({PageId::monitor, QString::fromLatin1(kLong), {}, {}, {}});
        const auto drawnTo = [&] {
            auto* chart = shown<ThroughputChart>(fixture.window(), [](const ThroughputChart&) { return true; });
            auto* line = chart ? qobject_cast<QXYSeries*>(chart->chart()->series().back()) : nullptr;
            return line && line->count() > 0 ? line->points().back().x() : 0;
        };
        for (int i = 0; i < 3; ++i) { // its end cannot be what is drawn
            const double before = drawnTo();
            QVERIFY(waitFor([&] { return drawnTo() > before; }, kRunLimitMs));
        }
        carryOut(fixture, [](Conductor& conductor, Completion<> done) {
            conductor.control({{Control::Kind::cancel}, kLong}, std::move(done));
        });
        QVERIFY(waitFor([&] { return run.state == RunState::cancelled; }, kRunLimitMs));
        const auto stored = [&] {
            const auto db = store::Database::openForReading(fixture.store());
            const StoredAttempt read = StoredAttempt::read(db.value(), run.id, run.attempt, 1, {}).value();
            std::vector<std::uint32_t> numbers;
            for (const store::RankSample& each : read.samples)
                numbers.push_back(each.sample.seq);
            return numbers;
        };
        QVERIFY(waitFor([&] { return heard == stored(); }));
        QVERIFY(!heard.empty() && heard.back() + 1 == heard.size());
    }

    void drawsTenTimesASecondWhateverArrives()
    {
        LiveWindow live;
        QVERIFY(waitFor([&] { return live.isShown(); }));
        const Paints paints(*live.chart()->viewport());
        int frames = 0;
        connect(live.line(), &QXYSeries::pointsReplaced, this, [&frames] { ++frames; });
        int grown = 0; // an axis that grows has the chart laid out anew
        for (QAbstractAxis* axis : live.chart()->chart()->axes())
            if (auto* values = qobject_cast<QValueAxis*>(axis))
                connect(values, &QValueAxis::rangeChanged, this, [&grown] { ++grown; });
        QElapsedTimer time;
        time.start();
        while (time.elapsed() < 2'000) {
            live.feed().repeatRun();
            live.fixture().session().live().deliver([] {}); // says at once what is collected, beside the clock
            QTest::qWait(7);
        }
        QVERIFY2(frames > 1 && frames <= time.elapsed() / 100 + 1, qPrintable(QString::number(frames)));
        QVERIFY2(paints.count() <= frames + grown + 1,
                 qPrintable(QStringLiteral("%1 of %2 and %3").arg(paints.count()).arg(frames).arg(grown)));
        QVERIFY(saveScreenshot(live.fixture().window(), QStringLiteral("live")));
    }

    void aHiddenPageDrawsNothingAndIsUpToDateWhenItIsShown()
    {
        LiveWindow live;
        QVERIFY(waitFor([&] { return live.isShown(); }));
        const double seen = live.line()->points().back().x();
        live.fixture().go(PageId::experiments);
        int frames = 0;
        connect(live.line(), &QXYSeries::pointsReplaced, this, [&frames] { ++frames; });
        const Paints paints(*live.chart()->viewport());
        for (int i = 0; i < 20; ++i, QTest::qWait(25))
            live.feed().repeatRun();
        QCOMPARE(frames, 0);
        QCOMPARE(paints.count(), 0);
        live.fixture().window().go({PageId::monitor, kExperiment, {}, {}, {}});
        QVERIFY(live.line()->points().back().x() > seen); // at once, before anything else arrives
    }

    void whatTheStoreSaysOfOneRunIsNotShownAsAnother()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::monitor, kExperiment);
        store::RunRow waiting = measuredRunAs(fixture.store(), RunState::queued);
        waiting.id = RunId::random();
        waiting.number = 61;
        waiting.attempt = 0;
        fixture.session().live().runsChanged({waiting});
        auto* runs = shown<QTableView>(fixture.window(), [](const QTableView&) { return true; });
        auto* chart = shown<ThroughputChart>(fixture.window(), [](const ThroughputChart&) { return true; });
        QVERIFY(runs && chart);
        QVERIFY(waitFor([&] { return runs->model()->index(0, 0).data().toString() == QStringLiteral("61"); }));
        runs->setCurrentIndex(runs->model()->index(3, 0)); // the store is asked for its samples
        runs->setCurrentIndex(runs->model()->index(0, 0)); // and answers when this one is shown
        settle();
        QCOMPARE(qobject_cast<QXYSeries*>(chart->chart()->series().back())->count(), 0);
    }

    void theRankThatTheOthersWaitForIsNamed()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::monitor, kExperiment);
        const auto link = [&] {
            return shown<QPushButton>(fixture.window(), [](const QPushButton& button) {
                return button.text().startsWith(QStringLiteral("Rank 3 is "));
            });
        };
        auto* runs = shown<QTableView>(fixture.window(), [](const QTableView&) { return true; });
        QVERIFY(runs);
        for (int row = 0; row < runs->model()->rowCount() && !link(); ++row) { // until one of four ranks is shown
            runs->setCurrentIndex(runs->model()->index(row, 0));
            settle();
        }
        QVERIFY(link());
        QVERIFY2(link()->text().endsWith(QStringLiteral(" ms late ›")), qPrintable(link()->text()));
        link()->click();
        QVERIFY(waitFor([&] {
            return shown<MessageBar>(fixture.window(), [](const MessageBar& bar) {
                return bar.text().contains(
                    QStringLiteral("Its clock is 900.000 s ahead of that of rank 0, ± 12.0 µs."));
            });
        }));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("state-late-rank")));
    }

    void theWorkBehindTheThroughputIsTold()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::monitor, kExperiment);
        const store::RunRow run = measuredRunAs(fixture.store(), RunState::done);
        fixture.window().go({PageId::monitor, kExperiment, run.id, {}, {}});
        const double giga = textOf(run.settings, "model") == "resnet50" ? 24.3 : 4.14;
        const QString expected = QStringLiteral("%1 GFLOP per image, forward and backward · %2 GFLOP/s")
                                     .arg(Numbers::threeDigits(giga), Numbers::threeDigits(giga * *run.itemsPerSecond));
        QVERIFY2(waitFor([&] { return says(fixture.window(), expected); }), qPrintable(expected));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("state-work")));
    }

    void theThroughputIsSetAgainstTheMeasuredRate()
    {
        WindowFixture fixture;
        fixture.fillStore();
        const store::RunRow run = measuredRunAs(fixture.store(), RunState::done);
        Calibration found = calibrationOfTwoNodes();
        found.ranks = int(integerOf(run.settings, "ranks").value_or(1));
        found.nodes = int(integerOf(run.settings, "nodes").value_or(1));
        found.coresPerRank = int(integerOf(run.settings, "cores_per_rank").value_or(1));
        const double giga = textOf(run.settings, "model") == "resnet50" ? 24.3 : 4.14;
        found.gemmFlops.median = giga * 1e9 * *run.itemsPerSecond / found.ranks / 0.62;
        {
            auto db = store::Database::openForWriting(fixture.store());
            QVERIFY(db && addCalibration(*db, run.site, found));
        }
        fixture.show();
        fixture.go(PageId::monitor, kExperiment);
        fixture.window().go({PageId::monitor, kExperiment, run.id, {}, {}});
        const QString expected = QStringLiteral(" GFLOP/s, %1 of the measured GEMM rate").arg(Numbers::percent(0.62));
        QVERIFY2(waitFor([&] { return says(fixture.window(), expected); }), qPrintable(expected));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("state-gemm")));
    }

    void theMoreRanksTheFewerIterationsAreRead()
    {
        WindowFixture fixture;
        fixture.fillStore();
        const store::RunRow run = runOfFourRanks(fixture.store());
        auto db = store::Database::openForReading(fixture.store());
        const auto few = StoredAttempt::read(*db, run.id, run.attempt, 4, {});
        const auto many = StoredAttempt::read(*db, run.id, run.attempt, 8'192, {});
        QVERIFY(few && many);
        QCOMPARE(few->samples.size(), std::size_t(run.samples));
        QCOMPARE(many->samples.size(), std::size_t(4 * (StoredAttempt::kMostSamples / 8'192)));
        QCOMPARE(many->samples.back().sample.seq, few->samples.back().sample.seq);
        const auto loaded = LoadedRun::read(*db, run, {}); // as the query's thread does it, ready to be drawn
        QVERIFY(loaded && loaded->run.hasSamples() && !loaded->load.hosts().empty());
        QCOMPARE(loaded->load.last().size(), std::size_t(4));
    }

    void storedMemoryIsThatOfAllRanksFromTheFirstReadingOn()
    {
        WindowFixture fixture;
        fixture.fillStore();
        const store::RunRow run = runOfFourRanks(fixture.store());
        auto db = store::Database::openForReading(fixture.store());
        const auto stored = StoredAttempt::read(*db, run.id, run.attempt, 4, {});
        QVERIFY(stored && !stored->telemetry.empty());
        std::set<int> heard;
        for (const auto& each : stored->telemetry)
            if (heard.insert(each.rank); each.rank == 0)
                QCOMPARE(heard.size(), std::size_t(4)); // whenever a value is drawn
        fixture.show();
        fixture.window().go(
            {.page = PageId::monitor, .experiment = kExperiment, .run = run.id, .show = {}, .toml = {}});
        const auto memory = [&] {
            const auto isMemory = [](const QWidget& widget) {
                return widget.accessibleName().startsWith(QStringLiteral("Memory, ranks: "));
            };
            auto* line = shown<QWidget>(fixture.window(), isMemory);
            return line ? line->accessibleName().section(QLatin1Char(' '), 2) : QString();
        };
        QVERIFY(waitFor([&] { return !memory().isEmpty(); }));
        const double gib = memory().left(4).toDouble(); // of each rank 900 MiB, and 1 MiB more every second
        QVERIFY2(gib > 4 * 0.87 && gib < 4 * 1.1, qPrintable(memory()));
    }

    void gpusAreShownOnceOneHasToldItsLoad()
    {
        WindowFixture fixture;
        fixture.fillStore();
        const store::RunRow run = runOfFourRanks(fixture.store());
        const auto lineOf = [&](const QString& name) {
            return shown<QWidget>(fixture.window(), [&](const QWidget& widget) {
                return widget.accessibleName().startsWith(name + QStringLiteral(": "));
            });
        };
        const auto show = [&] {
            fixture.window().go(
                {.page = PageId::monitor, .experiment = kExperiment, .run = run.id, .show = {}, .toml = {}});
            return waitFor([&] { // until what is stored is there, which would replace what comes live
                auto* line = lineOf(QStringLiteral("Memory, ranks"));
                return ringside::test::says(fixture.window(), QStringLiteral("Throughput of run %1").arg(run.number)) &&
                       line && line->accessibleName().contains(QStringLiteral("GiB"));
            });
        };
        fixture.show();
        fixture.go(PageId::monitor, kExperiment);
        QVERIFY(show());
        QVERIFY(!lineOf(QStringLiteral("GPU power")));
        TelemetryBatch batch{run.id, run.attempt, 0, {}, {}};
        for (const int rank : {0, 1, 0}) { // values are drawn with the lowest rank's reading
            batch.rank = rank;
            batch.gpuTelemetry = {GpuTelemetry{.atNs = 1,
                                               .busyShare = rank ? 0.5f : 0.9f,
                                               .memoryUsedBytes = 40ull << 30,
                                               .memoryBytes = 80ull << 30,
                                               .powerMilliwatts = 350'000,
                                               .smMegahertz = rank ? 1'200u : 1'755u,
                                               .foreignProcesses = rank ? 1u : 0u}};
            fixture.session().live().telemetryArrived(batch);
        }
        const auto says = [&](const char* name, const char* value) {
            auto* line = lineOf(QString::fromLatin1(name));
            return line && line->accessibleName().contains(QString::fromUtf8(value));
        };
        QVERIFY(waitFor([&] { return says("GPU power", "700"); }));
        QVERIFY(says("GPUs", "70"));
        QVERIFY(says("GPU memory", "40.0"));
        QVERIFY(says("GPU clock", "1,200"));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("state-gpus")));
    }

    void nothingIsOfNowWhenNothingComesAnyMore()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::monitor, kExperiment);
        std::optional<LiveFeed> feed(std::in_place, fixture.session().live(), kExperiment.toStdString());
        auto* runs = shown<QTableView>(fixture.window(), [](const QTableView&) { return true; });
        QVERIFY(runs);
        const auto state = [&] { return runs->model()->index(0, RunModel::kState).data().toString(); };
        QVERIFY(waitFor([&] { return state() == QStringLiteral("Running"); }));
        QTest::qWait(6'000); // longer than silence takes to be noticed
        QCOMPARE(state(), QStringLiteral("Running"));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("live-now")));
        feed.reset();
        QVERIFY(waitFor([&] { return state().startsWith(QStringLiteral("Silent since ")); }));
        settle();
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("live-silent")));
        feed.emplace(fixture.session().live(), kExperiment.toStdString()); // another run, which is followed
        const auto isHeard = [&](int row) {
            return runs->model()->index(row, RunModel::kState).data().toString() == QStringLiteral("Running");
        };
        QVERIFY(waitFor([&] { return isHeard(0) || isHeard(1); })); // both have the same number
    }

    void whatIsShownStaysWhenContactIsLost()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::monitor, kExperiment);
        QtSink& live = fixture.session().live();
        std::vector<store::RunRow> runs{measuredRunAs(fixture.store(), RunState::running)};
        live.runsChanged(runs);
        auto* table = shown<QTableView>(fixture.window(), [](const QTableView&) { return true; });
        auto* chart = shown<ThroughputChart>(fixture.window(), [](const ThroughputChart&) { return true; });
        QVERIFY(table && chart);
        const auto chosen = [&] { return table->currentIndex().siblingAtColumn(RunModel::kNumber).data().toString(); };
        const auto points = [&] { return qobject_cast<QXYSeries*>(chart->chart()->series().back())->count(); };
        const QString ran = QString::number(runs.front().number);
        QVERIFY(waitFor([&] { return chosen() == ran && points() > 0; }));
        for (int i = 0; i < 20; ++i) { // of any id: some come before that of the run that runs
            store::RunRow waiting = runs.front();
            waiting.id = RunId::random();
            waiting.number = 61 + i;
            waiting.attempt = 0;
            waiting.state = RunState::queued;
            runs.push_back(waiting);
        }
        live.runsChanged(runs);
        for (store::RunRow& run : runs) {
            run.state = RunState::unknown; // each that the site has, whether it had begun or not
            run.since = 1;
        }
        live.runsChanged(runs);
        QVERIFY(waitFor([&] {
            return table->model()->index(0, RunModel::kState).data().toString().startsWith(QStringLiteral("Unknown"));
        }));
        settle();
        QCOMPARE(chosen(), ran);
        QVERIFY(points() > 0);
        QCOMPARE(table->model()->index(0, RunModel::kNumber).data().toString(), ran);
        QCOMPARE(table->model()->index(4, RunModel::kConfiguration).data().toString(), QStringLiteral("17 more wait"));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("live-contact-lost")));
    }

    void theLogIsThatOfTheRunAndBeginsAtItsLeft()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::monitor, kExperiment);
        QtSink& live = fixture.session().live();
        store::RunRow waiting = measuredRunAs(fixture.store(), RunState::queued);
        waiting.id = RunId::random();
        waiting.number = 61;
        waiting.attempt = 0;
        live.runsChanged({waiting});
        auto* runs = shown<QTableView>(fixture.window(), [](const QTableView&) { return true; });
        auto* log = shown<QPlainTextEdit>(fixture.window(), [](const QPlainTextEdit& text) {
            return text.accessibleName() == QStringLiteral("Log");
        });
        QVERIFY(runs && log);
        QVERIFY(waitFor([&] { return runs->model()->index(0, 0).data().toString() == QStringLiteral("61"); }));
        runs->setCurrentIndex(runs->model()->index(0, 0));
        live.logArrived({waiting.id, 0, -1, "Run 60: done.\nRun 61, attempt 1: 1 rank.\n"});
        QVERIFY(waitFor([&] { return log->toPlainText().contains(QStringLiteral("Run 60")); }));
        QVERIFY(says(fixture.window(), QStringLiteral("Job of run 61")));
        live.logArrived({waiting.id, 1, 0, std::string(2'000, 'x') + "\nsecond\n"});
        QVERIFY(waitFor([&] { return log->toPlainText().endsWith(QStringLiteral("r0  second")); }));
        QVERIFY2(!log->toPlainText().contains(QStringLiteral("Run 60")), "of all runs of the job");
        QVERIFY(!says(fixture.window(), QStringLiteral("Job of run 61")));
        QVERIFY(log->horizontalScrollBar()->maximum() > 0);
        QCOMPARE(log->horizontalScrollBar()->value(), 0);
        auto* ranks = shown<QComboBox>(fixture.window(), [](const QComboBox& combo) {
            return combo.accessibleName() == QStringLiteral("Ranks shown in the log");
        });
        QVERIFY(ranks);
        ranks->setCurrentText(QStringLiteral("Its job"));
        QVERIFY(log->toPlainText().contains(QStringLiteral("Run 60")));
        QVERIFY(!log->toPlainText().contains(QStringLiteral("second")));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("live-log-of-job")));
    }

    void typingInTheFilterEchoesAtOnce()
    {
        LiveWindow live;
        QVERIFY(waitFor([&] { return live.isShown(); }));
        live.fixture().go(PageId::experiments);
        auto* filter = shown<QLineEdit>(live.fixture().window(), [](const QLineEdit&) { return true; });
        auto* table = shown<QTableView>(live.fixture().window(), [](const QTableView&) { return true; });
        QVERIFY(filter && table);
        QVERIFY(table->model()->rowCount() > 1);
        filter->setFocus();
        QString typed;
        for (const QChar letter : kExperiment) {
            const Paints paints(*filter);
            QTest::keyClick(filter, letter.toLatin1());
            QCOMPARE(filter->text(), typed += letter);
            QApplication::processEvents(); // one turn: nothing stands before the echo
            QVERIFY(paints.count() > 0);
        }
        QVERIFY(waitFor([&] { return table->model()->rowCount() == 1; }));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::LiveTest)
#include "test_live.moc"
