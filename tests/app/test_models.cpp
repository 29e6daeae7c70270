// SPDX-License-Identifier: MIT
#include "app/models/experimentmodel.h"
#include "app/pages/monitor/liverun.h"
#include "app/pages/monitor/runmodel.h"
#include "app/pages/monitor/runwords.h"
#include "app/pages/monitor/workprogress.h"
#include "app/text/text.h"
#include "app/widgets/celldelegate.h"
#include "app/widgets/chip.h"
#include "app/widgets/elidedlabel.h"
#include "app/widgets/numbers.h"
#include "app/window/endmessage.h"
#include "app/window/messagelog.h"

#include "core/base/clock.h"
#include "core/store/summaries.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <QTextDocument>

namespace ringside {

namespace {

store::ExperimentRow row(const char* name, store::RunCounts runs)
{
    store::ExperimentRow row;
    row.name = name;
    row.site = "local";
    row.runs = runs;
    row.changedAt = wallNs();
    return row;
}

std::vector<store::ExperimentRow> someRows()
{
    auto old = row("old", {.total = 6, .done = 6});
    old.archived = true;
    auto lost = row("lost", {.total = 4, .unknown = 4});
    lost.unknownSince = wallNs();
    return {row("running", {.total = 156, .queued = 110, .running = 1, .done = 41, .failed = 2, .cancelled = 2}),
            row("done", {.total = 36, .done = 36}),
            row("failed", {.total = 6, .done = 4, .failed = 2}),
            lost,
            old,
            row("held", {.total = 6, .queued = 4, .done = 2, .held = 4}),
            row("new", {.total = 8, .queued = 8}),
            row("stopped", {.total = 36, .done = 30, .cancelled = 6})};
}

/// A table as text: what the user reads, row by row.
QString printed(const QAbstractItemModel& model)
{
    QStringList lines;
    for (int r = 0; r < model.rowCount(); ++r)
        lines << model.index(r, ExperimentModel::kName).data().toString() + QStringLiteral(" | ") +
                     model.index(r, ExperimentModel::kRuns).data().toString() + QStringLiteral(" | ") +
                     model.index(r, ExperimentModel::kProgress).data(kProgressRole).value<Progress>().text +
                     QStringLiteral(" | ") +
                     model.index(r, ExperimentModel::kState).data(kLookRole).value<StateLook>().icon;
    return lines.join(QLatin1Char('\n'));
}

} // namespace

class ModelsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anExperimentIsWhereItsRunsAre()
    {
        store::ExperimentRow planned = row("planned", {}), launched = row("launched", {});
        launched.runSites = {"polaris", "local"};
        ExperimentModel model;
        model.setRows({planned, launched});
        const auto site = [&](int number) { return model.index(number, ExperimentModel::kSite).data().toString(); };
        QCOMPARE(site(0), QStringLiteral("This computer"));
        QCOMPARE(site(1), QStringLiteral("This computer, polaris"));
    }

    void neitherTrialsNorPausesArePace()
    {
        constexpr std::int64_t second = 1'000'000'000;
        std::map<RunId, store::RunRow> runs;
        const auto add = [&](const char* configuration, RunState state, std::int64_t endsAt, double seconds) {
            store::RunRow run;
            run.id = RunId::random();
            run.configurationKey = configuration;
            run.state = state;
            run.since = endsAt * second;
            if (seconds > 0)
                run.seconds = seconds;
            return &(runs[run.id] = run);
        };
        QCOMPARE(secondsLeft(runs, 0), -1.0);
        add("short", RunState::done, 1'000, 10);
        add("long", RunState::done, 1'104, 100);
        add("short", RunState::done, 30'000, 10); // after a night
        add("long", RunState::done, 30'104, 100);
        add("short", RunState::done, 30'118, 10);
        add("long", RunState::failed, 30'119, 1);
        add("long", RunState::done, 30'100, 7)->kind = RunKind::trial;
        add("short", RunState::queued, 0, 0);
        add("long", RunState::queued, 0, 0);
        add("long", RunState::queued, 0, 0)->inMatrix = false; // comes before the end all the same
        add("long", RunState::running, 30'120, 0);
        QCOMPARE(secondsLeft(runs, 30'150 * second), (10 + 4) + 2 * (100 + 4) + (100 - 30.0));
    }

    /// As many as lie between two of them: a median of so many is no median of a second.
    void aPointOfAStoredRunSaysHowManyIterationsItCovers()
    {
        for (const std::uint32_t iterations : {300u, 501u, 5'000u, 5'001u, 123'456u}) {
            std::vector<store::RankSample> samples(iterations);
            for (std::uint32_t seq = 0; seq < iterations; ++seq) {
                samples[seq].sample.seq = seq;
                samples[seq].sample.items = 4;
                samples[seq].sample.phases[0] = 1'000'000;
            }
            store::RunRow row;
            row.state = RunState::done;
            row.iterations = int(iterations);
            row.lastSeq = iterations - 1;
            StoredAttempt stored;
            stored.series = store::makeSeries(samples, 1);
            LiveRun run(row);
            run.add(stored);
            const auto points = run.points(300);
            QCOMPARE(points.size(), stored.series.size());
            QCOMPARE(run.spanOfPoints(300).seconds, 0);
            QCOMPARE(run.spanOfPoints(300).iterations, int(points[1].iteration - points[0].iteration));
        }
    }

    void aBarHasThePhasesThatAllItsIterationsTell()
    {
        store::RunRow row;
        row.settings = Settings{{"ranks", Value(std::int64_t{2})}};
        LiveRun run(row);
        Sample sample;
        sample.phases = {1'000'000, 2'000'000, 4'000'000, 0, 0, 0, 1'000'000};
        for (; sample.seq < 9; ++sample.seq)
            for (const int rank : {0, 1}) {
                Sample told = sample;
                if (rank == 1 && sample.seq > 4)
                    told.told = {Phase::forward, Phase::inputWait};
                keepTold(told.phases, told.told);
                run.add(rank, told);
            }
        const std::vector<RankPhases> bars = run.phases();
        QCOMPARE(bars.size(), std::size_t{2});
        QVERIFY(bars[0].told.hasAll());
        QCOMPARE(bars[0].ms[1], 2.0);
        QVERIFY((bars[1].told == PhaseSet{Phase::forward, Phase::inputWait}));
        QCOMPARE(bars[1].ms, (std::array{1.0, 0.0, 4.0, 0.0, 0.0, 0.0, 3.0}));
    }

    void aProcessOfSeveralRanksTellsForAllOfThem()
    {
        store::RunRow row;
        row.settings = Settings{{"ranks", Value(std::int64_t{8})}};
        row.ranksPerProcess = 4;
        row.state = RunState::running;
        LiveRun run(row);
        QCOMPARE(run.rankProcesses(), 2);
        Sample sample;
        sample.items = 128;
        sample.ofRanks = 4;
        sample.phases = {1'000'000, 0, 4'000'000, 0, 0, 0, 0};
        for (; sample.seq < 9; ++sample.seq)
            for (const int process : {0, 1})
                run.add(process, sample);
        QCOMPARE(run.points(300).size(), std::size_t{9}); // nothing is waited for
        constexpr double kRate = 2 * 128 / 0.005;
        QCOMPARE(run.points(300).back().median, kRate);
        QCOMPARE(run.now().value_or(0), kRate);
        QCOMPARE(run.sinceWarmup().value_or(0), kRate);
        QCOMPARE(run.phases().size(), std::size_t{2});
        QCOMPARE(run.phases()[0].name, QStringLiteral("0–3"));
        QCOMPARE(run.phases()[1].name, QStringLiteral("4–7"));
    }

    void samplesOfSeveralIterationsAreShownAsOneIteration()
    {
        store::RunRow row;
        row.iterations = 120;
        LiveRun run(row);
        Sample sample;
        for (const std::uint32_t seq : {49u, 99u, 119u}) {
            sample.iterations = seq - sample.seq + (sample.seq == 0 ? 1 : 0);
            sample.seq = seq;
            sample.items = 4 * sample.iterations;
            sample.phases = {sample.iterations * 1'000'000, 0, sample.iterations * 4'000'000, 0, 0, 0, 0};
            run.add(0, sample);
        }
        QVERIFY(run.isInParts());
        QCOMPARE(run.phases().at(0).ms, (std::array{1.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0}));
        QVERIFY(run.spanOfPoints(300).isInParts);
        QCOMPARE(run.points(300).size(), std::size_t{3});
        QVERIFY(qAbs(*run.sinceWarmup() - 800) < 1e-6);
    }

    void onlyAnExperimentWithoutFailuresEndsWithATick()
    {
        const auto said = [](store::RunCounts runs) { return endMessage(row("plans", runs)); };
        QCOMPARE(said({.total = 6, .done = 6}).text, QStringLiteral("plans: 6 of 6 runs done."));
        QCOMPARE(int(said({.total = 6, .done = 6}).severity), int(Severity::done));
        const Message partly = said({.total = 6, .done = 3, .failed = 2, .cancelled = 1});
        QCOMPARE(partly.text, QStringLiteral("plans: 3 of 6 runs done, 2 failed, 1 cancelled."));
        QCOMPARE(int(partly.severity), int(Severity::warning));
        QCOMPARE(int(said({.total = 2, .failed = 2}).severity), int(Severity::error));
        QCOMPARE(int(said({.total = 2, .done = 1, .cancelled = 1}).severity), int(Severity::info));
    }

    void aCalibrationIsNoTrainingOfAModel()
    {
        store::RunRow run;
        run.id = RunId::random();
        Settings settings{{"engine", Value("calibration")},
                          {"model", Value("lenet")},
                          {"plan", Value("buckets")},
                          {"ranks", Value(std::int64_t{2})}};
        run.settings = settings;
        RunModel model;
        model.setRuns({run});
        QCOMPARE(model.index(0, RunModel::kConfiguration).data().toString(), QStringLiteral("Calibration"));
        QCOMPARE(model.index(0, RunModel::kRanks).data().toString(), QStringLiteral("2"));
        settings["engine"] = Value("ringside");
        run.settings = settings;
        model.setRuns({run});
        QCOMPARE(model.index(0, RunModel::kConfiguration).data().toString(), QStringLiteral("LeNet · buckets"));
    }

    void whatDiffersComesFirstInTheNameOfAConfiguration()
    {
        std::vector<store::RunRow> runs(2);
        Settings settings{{"model", Value("lenet")},
                          {"plan", Value("none")},
                          {"ranks", Value(std::int64_t{1})},
                          {"prefetch", Value(std::int64_t{4})}};
        for (std::size_t i = 0; i < runs.size(); ++i) {
            runs[i].id = RunId::random();
            runs[i].number = int(i) + 1;
            runs[i].configurationKey = std::to_string(i);
            settings["cache"] = Value(i == 0 ? "warmed" : "cold");
            runs[i].settings = settings;
        }
        RunModel model;
        model.setRuns(runs);
        QCOMPARE(model.configuration(runs[0]), QStringLiteral("warmed · LeNet · none"));
        settings["prefetch"] = Value(std::int64_t{1});
        settings["cache"] = runs[0].settings->at("cache");
        runs[1].settings = settings;
        runs[1].id = RunId::random(); // a run never changes its settings
        model.setRuns(runs);
        QCOMPARE(model.configuration(runs[1]), QStringLiteral("prefetched batches 1 · LeNet · none"));
    }

    void eachRunNamesItsEngineWhereEnginesVary()
    {
        std::vector<store::RunRow> runs(2);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            runs[i].id = RunId::random();
            runs[i].number = int(i) + 1;
            runs[i].configurationKey = std::to_string(i);
            runs[i].settings = Settings{{"engine", Value(i == 0 ? "ringside" : "pytorch")},
                                        {"model", Value("lenet")},
                                        {"plan", Value("none")},
                                        {"ranks", Value(std::int64_t(i + 1))}}; // which distinguish them, too
        }
        RunModel model;
        model.setRuns(runs);
        QCOMPARE(model.configuration(runs[0]), QStringLiteral("Ringside · LeNet · none"));
        QCOMPARE(model.configuration(runs[1]).toLower(), QStringLiteral("pytorch · lenet · none"));
        model.setRuns({runs[0]});
        QCOMPARE(model.configuration(runs[0]), QStringLiteral("LeNet · none"));
    }

    void aRunThatComesLiveIsToldApartFromThoseThatWereThere()
    {
        std::vector<store::RunRow> runs(3);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            runs[i].id = RunId::random();
            runs[i].number = int(i) + 1;
            runs[i].configurationKey = std::to_string(i);
            runs[i].settings = Settings{{"model", Value(i == 2 ? "gpt2" : "alexnet")},
                                        {"plan", Value("buckets")},
                                        {"precision", Value(i == 0 ? "fp32" : "bf16")}};
        }
        RunModel model;
        QAbstractItemModelTester tester(&model);
        QSignalSpy named(&model, &RunModel::configurationsChanged);
        const auto rate = [&] { return model.headerData(RunModel::kRate, Qt::Horizontal, Qt::ToolTipRole).toString(); };
        model.setRuns({runs[0]}); // a trial
        const QString ofImages = rate();
        QCOMPARE(model.configuration(runs[0]), QStringLiteral("AlexNet · buckets"));
        model.update(runs); // then the launch
        const QString name = model.index(0, RunModel::kConfiguration).data().toString();
        QVERIFY2(name.contains(QStringLiteral("fp32")), qPrintable(name));
        QVERIFY2(rate() != ofImages, qPrintable(ofImages));
        QCOMPARE(named.size(), 2);
        model.update(runs); // nothing new, and so when the store says the same
        model.setRuns(runs);
        QCOMPARE(named.size(), 2);
        QCOMPARE(model.index(0, RunModel::kConfiguration).data().toString(), name);
    }

    void experimentsAsText()
    {
        ExperimentModel model;
        QAbstractItemModelTester tester(&model);
        model.setRows(someRows());
        QCOMPARE(printed(model), QStringLiteral("running | 156 | 43 of 156 | play\n"
                                                "done | 36 | 36 of 36 | tick\n"
                                                "failed | 6 | 6 of 6 | cross\n"
                                                "lost | 4 | 0 of 4 | question\n"
                                                "old | 6 | 6 of 6 | tick\n"
                                                "held | 6 | 2 of 6 | pause\n"
                                                "new | 8 | 0 of 8 | clock\n"
                                                "stopped | 36 | 30 of 36 | ban"));
        auto rows = someRows();
        rows[0].runs.done = 42;
        model.setRows(rows);
        rows.pop_back();
        model.setRows(rows);
        QCOMPARE(model.rowCount(), 7);
    }

    void whatIsDrawnIsSaidToScreenReaders()
    {
        ExperimentModel experiments;
        auto rows = someRows();
        rows[1].starred = true;
        experiments.setRows(rows);
        const auto star = [&](int row) {
            return experiments.index(row, ExperimentModel::kStar).data(Qt::AccessibleTextRole).toString();
        };
        QCOMPARE(star(0), QStringLiteral("Not starred"));
        QCOMPARE(star(1), QStringLiteral("Starred"));
        QCOMPARE(experiments.headerData(ExperimentModel::kStar, Qt::Horizontal, Qt::AccessibleTextRole).toString(),
                 QStringLiteral("Star"));

        store::RunRow run;
        run.id = RunId::random();
        run.state = RunState::running;
        run.iterations = 10;
        run.samples = run.lastSeq = 4;
        run.configurationKey = "one";
        run.settings = Settings{{"model", Value("alexnet")}, {"plan", Value("buckets")}};
        run.flags = {"disturbed"};
        RunModel runs;
        runs.setRuns({run});
        const auto said = [&](int column) { return runs.index(0, column).data(Qt::AccessibleTextRole).toString(); };
        QCOMPARE(said(RunModel::kFlag), RunWords::flags(run));
        QVERIFY(!said(RunModel::kFlag).isEmpty());
        QCOMPARE(said(RunModel::kProgress), Numbers::percent(0.5));
        QCOMPARE(runs.headerData(RunModel::kFlag, Qt::Horizontal, Qt::AccessibleTextRole).toString(),
                 QStringLiteral("Remarks"));
    }

    void filterKeepsTheArchiveApart()
    {
        ExperimentModel model;
        ExperimentFilter filter;
        filter.setSourceModel(&model);
        QAbstractItemModelTester tester(&filter);
        model.setRows(someRows());
        QCOMPARE(filter.rowCount(), 7);
        filter.setScope(ExperimentFilter::Scope::done); // done and failed; what was cancelled is neither
        QCOMPARE(filter.rowCount(), 2);
        filter.setScope(ExperimentFilter::Scope::archived);
        QCOMPARE(filter.rowCount(), 1);
        filter.setScope(ExperimentFilter::Scope::failed);
        QCOMPARE(filter.rowCount(), 2);
        filter.setScope(ExperimentFilter::Scope::all);
        filter.setText(QStringLiteral("RUN"));
        QCOMPARE(filter.rowCount(), 1);
        filter.setText({});
        filter.sort(ExperimentModel::kRuns, Qt::DescendingOrder);
        QCOMPARE(filter.index(0, ExperimentModel::kName).data().toString(), QStringLiteral("running"));
    }

    void toolTipsShowForeignTextAsItIs()
    {
        const auto read = [](const QString& tip) {
            QTextDocument document;
            Qt::mightBeRichText(tip) ? document.setHtml(tip) : document.setPlainText(tip);
            return document.toPlainText();
        };
        for (const QString& foreign :
             {QStringLiteral("R & D, loss < 1"), QStringLiteral("<b>lab</b> & <img src=\"http://x.invalid\">")}) {
            ExperimentModel experiments;
            experiments.setRows({row(foreign.toUtf8().constData(), {})});
            MessageLog log;
            log.add({Severity::info, foreign, {}, {}, {}});
            ElidedLabel label(LabelKind::text);
            label.resize(20, 20);
            label.setFullText(foreign);
            const QModelIndex name = experiments.index(0, ExperimentModel::kName);
            for (const QString& tip : {name.data(Qt::ToolTipRole).toString(),
                                       log.index(0).data(Qt::ToolTipRole).toString(), label.toolTip()})
                QCOMPARE(read(tip), foreign);
        }
    }

    void messagesAreBounded()
    {
        MessageLog log;
        QAbstractItemModelTester tester(&log);
        for (int i = 0; i < 250; ++i)
            log.add({Severity::info, QString::number(i), {}, {}, {}});
        QCOMPARE(log.rowCount(), int(MessageLog::kKept));
        QCOMPARE(log.index(0).data().toString(), QStringLiteral("249"));
        QCOMPARE(log.unread(), 250);
        log.markRead();
        QCOMPARE(log.unread(), 0);
    }

    void numbers()
    {
        QLocale::setDefault(QLocale(QLocale::English));
        QCOMPARE(Numbers::count(4352), QStringLiteral("4,352"));
        QCOMPARE(Numbers::threeDigits(14.414), QStringLiteral("14.4"));
        QCOMPARE(Numbers::threeDigits(4352.4), QStringLiteral("4,352"));
        QCOMPARE(Numbers::threeDigits(0.12345), QStringLiteral("0.123"));
        QCOMPARE(Numbers::ofTotal(41, 156), QStringLiteral("41 of 156"));
        QCOMPARE(Numbers::duration(42), QStringLiteral("42\u202Fs"));
        QCOMPARE(Numbers::relativeTime(0, 30'000'000'000), QStringLiteral("just now"));
        QCOMPARE(Numbers::bytes(1'600'000'000), QStringLiteral("1.60\u202FGB"));
        QLocale::setDefault(QLocale(QLocale::German));
        QCOMPARE(Numbers::bytes(1'600'000'000), QStringLiteral("1,60\u202FGB"));
        QCOMPARE(Numbers::duration(17'280), QStringLiteral("4,8\u202Fh"));
        QLocale::setDefault(QLocale(QLocale::English));
    }
};

} // namespace ringside

QTEST_MAIN(ringside::ModelsTest)
#include "test_models.moc"
