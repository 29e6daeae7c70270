// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of figures name the phases that are reported and can be seen, and series by marks that differ.
#include "app/figures/exportfigure.h"
#include "app/figures/panels.h"
#include "core/base/files.h"
#include "tests/app/figures/timelinefigure.h"
#include "tests/report/support/lab.h"

#include <QGuiApplication>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <set>

using namespace ringside;

namespace {

report::FigureData phasesBy(const test::Model& model)
{
    const auto experiment = test::plansExperiment({1, 2}, 6, {"alexnet"});
    return report::figure(test::compared(experiment, test::measure(experiment, model), report::kPhaseStacks));
}

template <class Drawing> QStringList namesIn(const Drawing& drawing)
{
    QStringList names;
    for (const figures::KeyEntry& entry : figures::painterOf(drawing)->keyEntries())
        names << entry.text;
    return names;
}

QImage sampleOf(const figures::KeyEntry& entry)
{
    const figures::PaperOptions options;
    const figures::Type type(options);
    const QRectF area(0, 0, entry.sampleWidth, figures::pt(10));
    QImage image(area.size().toSize(), QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    entry.draw(figures::Canvas(painter, type, options), area);
    return image;
}

const QString kOther = QStringLiteral("Other"), kRest = QStringLiteral("Not told");

} // namespace

class TestKeys : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void whatIsNotToldStandsLastBesideOther()
    {
        const report::FigureData figure = phasesBy(test::lessToldMeasurement);
        const QStringList names = namesIn(test::stacksOf(figure));
        QCOMPARE(names.mid(names.size() - 2), QStringList({kOther, kRest}));
        QVERIFY(names.contains(QStringLiteral("Input wait"))); // of the configuration that reports it
    }

    void itIsNamedOnlyWhereThereIsSome()
    {
        QVERIFY(!namesIn(test::stacksOf(phasesBy(test::usualMeasurement))).contains(kRest));
        report::FigureData figure = phasesBy(test::usualMeasurement);
        for (report::Stack& stack : figure.as<report::Stacks>()->panels.at(0).stacks) {
            stack.told = {Phase::forward, Phase::backward};
            stack.hiddenCommunication = 0;
            keepTold(stack.phases, stack.told);
        }
        QCOMPARE(namesIn(test::stacksOf(figure)),
                 QStringList({QStringLiteral("Forward"), QStringLiteral("Backward"), kRest}));
    }

    void aPhaseIsNamedThatIsSeenInOnePanelBesideOneOfAnotherScale()
    {
        report::Stack quick, slow; // 5 of 60 ms, and none of 1,900
        quick.phases = {5, 0, 20, 30, 0, 5, 0};
        slow.phases = {0, 0, 700, 1'150, 0, 50, 0};
        quick.total = 60;
        slow.total = 1'900;
        const QString wait = QStringLiteral("Input wait");
        report::Stacks apart, together;
        apart.panels = {{"AlexNet", {quick}}, {"ResNet-50", {slow}}};
        together.panels = {{"", {quick, slow}}};
        QVERIFY(namesIn(apart).contains(wait));
        QVERIFY(!namesIn(together).contains(wait));
    }

    void aTimelineHasItToo()
    {
        report::FigureData figure = test::timelineFigure();
        QVERIFY(!namesIn(test::lanesOf(figure)).contains(kRest));
        figure.as<report::Lanes>()->lanes.at(1).phases.at(2).phase = kNotTold;
        const QStringList names = namesIn(test::lanesOf(figure));
        QVERIFY(names.contains(kRest) && !names.contains(kOther));
        QVERIFY(names.contains(QStringLiteral("Communication, exposed"))); // of the first rank
    }

    void itIsGrayAndHatchedUnlikeOther()
    {
        const figures::PhaseMark rest = figures::phaseMark(kNotTold), other = figures::phaseMark(Phase::other);
        QVERIFY(rest.fill != other.fill && rest.hatch != other.hatch);
        QVERIFY(rest.fill.saturation() < 20);
        for (const Phase phase : kPhases)
            QVERIFY(figures::phaseMark(phase).fill != rest.fill);
    }

    void seriesThatCollapsedDifferInShape()
    {
        const QColor gray = figures::paperPalette().text2;
        std::set<figures::Marker> markers;
        std::set<Hatch> hatches;
        for (int style = 0; style < figures::kSeriesMarks; ++style) {
            const figures::SeriesMark mark = figures::seriesMark(style, true, figures::paperPalette());
            QCOMPARE(mark.colour, gray);
            QVERIFY(mark.marker != figures::Marker::none);
            markers.insert(mark.marker);
            hatches.insert(mark.hatch);
        }
        QCOMPARE(markers.size(), std::size_t{figures::kSeriesMarks});
        QCOMPARE(hatches.size(), std::size_t{figures::kSeriesMarks});
        const auto further = figures::seriesMark(figures::kSeriesMarks, true, figures::paperPalette());
        QVERIFY(further.marker != figures::Marker::none);
    }

    void eachSeriesThatCollapsedHasItsOwnSample()
    {
        auto experiment = test::plansExperiment({1, 2}, 6, {"alexnet"});
        experiment.factors.push_back({"precision", {Value("fp32"), Value("bf16")}});
        const auto runs = test::measure(experiment, test::usualMeasurement);
        for (const report::ComparedKind* kind : {&report::kThroughput, &report::kSpeedup, &report::kEfficiency}) {
            const auto figure = report::figure(test::compared(experiment, runs, *kind));
            std::vector<QImage> samples;
            for (const figures::KeyEntry& entry : figures::painterOf(test::pointsOf(figure))->keyEntries())
                if (entry.text.startsWith(QStringLiteral("1 CPU rank · ")))
                    samples.push_back(sampleOf(entry));
            QCOMPARE(samples.size(), std::size_t{2});
            QVERIFY(samples[0] != samples[1]);
        }
    }

    void aSeriesThatIsOnlyTheBaseCaseHasNone()
    {
        const auto experiment = test::plansExperiment({1, 2}, 6, {"alexnet"});
        const auto runs = test::measure(experiment, test::usualMeasurement);
        const auto hasEntry = [&](const report::ComparedKind& kind) {
            const auto figure = report::figure(test::compared(experiment, runs, kind));
            return std::ranges::any_of(
                figures::painterOf(test::pointsOf(figure))->keyEntries(),
                [](const figures::KeyEntry& entry) { return entry.text == QStringLiteral("1 CPU rank"); });
        };
        QVERIFY(hasEntry(report::kThroughput));
        QVERIFY(!hasEntry(report::kSpeedup));
    }

    void filesHaveIt()
    {
        const QTemporaryDir folder;
        const fs::path path = fs::path(folder.path().toStdString()) / "phases.svg";
        QVERIFY(figures::exportFigure(phasesBy(test::lessToldMeasurement), path));
        QVERIFY(readFile(path)->find(">Not told</text>") != std::string::npos);
    }
};

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QGuiApplication app(argc, argv);
    TestKeys tests;
    return QTest::qExec(&tests, argc, argv);
}

#include "test_keys.moc"
