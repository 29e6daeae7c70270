// SPDX-License-Identifier: GPL-3.0-or-later
// The live charts, with values as they come.
#include "app/charts/phasebarschart.h"
#include "app/style/themecontroller.h"

#include <QGraphicsScene>
#include <QGraphicsTextItem>
#include <QTest>
#include <QtCharts/QValueAxis>
#include <algorithm>

namespace ringside {

namespace {

std::vector<RankPhases> oneRank(double ms)
{
    RankPhases rank;
    rank.name = QStringLiteral("0");
    rank.ms.fill(0);
    rank.ms[static_cast<std::size_t>(Phase::forward)] = ms;
    return {rank};
}

bool cutTexts(const PhaseBarsChart& chart)
{
    const auto items = chart.scene()->items();
    return std::any_of(items.begin(), items.end(), [](const QGraphicsItem* item) {
        const auto* text = qgraphicsitem_cast<const QGraphicsTextItem*>(item);
        return text && text->isVisible() && text->defaultTextColor().alpha() > 0 &&
               text->toPlainText().contains(QStringLiteral("..."));
    });
}

QString titleOfY(const PhaseBarsChart& chart)
{
    return chart.chart()->axes(Qt::Vertical).constFirst()->titleText();
}

} // namespace

class ChartsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// A first iteration of a microsecond, then one of minutes, and back: no step of the way lays out more than some
    /// ticks, or the window would stand still for hours.
    void axisFollowsAnyJump()
    {
        ThemeController theme;
        PhaseBarsChart chart(theme);
        chart.resize(400, 300);
        chart.show(oneRank(1));
        const auto usual = chart.scene()->items().size();
        for (const double ms : {0.001, 300'000.0, 0.001, 20.0}) {
            chart.show(oneRank(ms));
            QVERIFY(chart.scene()->items().size() < 2 * usual);
        }
    }

    /// A title that is longer than its axis would end in an ellipsis.
    void aLowChartNamesTheUnitAlone()
    {
        ThemeController theme;
        PhaseBarsChart chart(theme);
        chart.resize(400, 300);
        chart.setVisible(true);
        chart.show(oneRank(1));
        QVERIFY(QTest::qWaitFor([&] { return titleOfY(chart) == QStringLiteral("Time (ms)"); }));
        chart.resize(400, 84);
        QVERIFY(QTest::qWaitFor([&] { return titleOfY(chart) == QStringLiteral("ms"); }));
        QVERIFY2(!cutTexts(chart), "nothing on its axes ends in an ellipsis");
        chart.resize(400, 300);
        QVERIFY(QTest::qWaitFor([&] { return titleOfY(chart) == QStringLiteral("Time (ms)"); }));
    }
};

} // namespace ringside

QTEST_MAIN(ringside::ChartsTest)
#include "test_charts.moc"
