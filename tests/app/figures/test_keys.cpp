// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of figures name the phases that are reported and can be seen.
#include "app/figures/exportfigure.h"
#include "app/figures/panels.h"
#include "core/base/files.h"
#include "tests/app/figures/timelinefigure.h"
#include "tests/report/support/lab.h"

#include <QGuiApplication>
#include <QTemporaryDir>
#include <QTest>

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
