// SPDX-License-Identifier: GPL-3.0-or-later
// The live charts, with values as they come.
#include "app/charts/phasebarschart.h"
#include "app/charts/throughputchart.h"
#include "app/style/themecontroller.h"

#include <QGraphicsScene>
#include <QGraphicsTextItem>
#include <QLabel>
#include <QTest>
#include <QTextDocument>
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

/// Returns the texts that Qt Charts prints: titles, and numbers along the axes.
std::vector<const QGraphicsTextItem*> printedOn(const ChartView& chart)
{
    std::vector<const QGraphicsTextItem*> texts;
    for (const QGraphicsItem* item : chart.scene()->items())
        if (const auto* text = qgraphicsitem_cast<const QGraphicsTextItem*>(item);
            text && text->isVisible() && text->defaultTextColor().alpha() > 0 && !text->toPlainText().isEmpty())
            texts.push_back(text);
    return texts;
}

QStringList cutTexts(const ChartView& chart)
{
    QStringList cut;
    for (const QGraphicsTextItem* text : printedOn(chart))
        if (text->toPlainText().contains(QStringLiteral("...")))
            cut << text->toPlainText();
    return cut;
}

/// Without the margins that a text document has around it, and what a font keeps for letters above and below digits.
QRectF inkOf(const QGraphicsTextItem& text)
{
    const qreal margin = text.document()->documentMargin();
    const QFontMetricsF metrics(text.font());
    const qreal above = margin + metrics.ascent() - metrics.capHeight(), below = margin + metrics.descent();
    return text.mapRectToScene(text.boundingRect().adjusted(margin, above, -margin, -below));
}

/// Numbers along one axis: left of the plot, or below it.
QStringList numbersAlong(const ChartView& chart, Qt::Orientation orientation)
{
    QStringList numbers;
    for (const QGraphicsTextItem* text : printedOn(chart)) {
        bool isNumber = false;
        (void)QLocale().toDouble(text->toPlainText(), &isNumber);
        const bool isLeft = inkOf(*text).right() <= chart.chart()->plotArea().left();
        if (isNumber && isLeft == (orientation == Qt::Vertical))
            numbers << text->toPlainText();
    }
    return numbers;
}

/// Returns the texts along the axes that lie on others.
QStringList overprinted(const ChartView& chart)
{
    const auto texts = printedOn(chart);
    QStringList found;
    for (std::size_t i = 0; i < texts.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (inkOf(*texts[i]).intersects(inkOf(*texts[j])))
                found << texts[j]->toPlainText() + QStringLiteral(" and ") + texts[i]->toPlainText();
    return found;
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
        QCOMPARE(cutTexts(chart), QStringList());
        chart.resize(400, 300);
        QVERIFY(QTest::qWaitFor([&] { return titleOfY(chart) == QStringLiteral("Time (ms)"); }));
    }

    /// Names of ranks stand where numbers would, and nothing that was measured has no scale.
    void anAxisWithoutNumbersHasNoneInAnyTheme()
    {
        ThemeController theme;
        PhaseBarsChart phases(theme);
        ThroughputChart throughput(theme);
        phases.resize(400, 300);
        throughput.resize(400, 300);
        phases.setVisible(true);
        throughput.setVisible(true);
        phases.show(oneRank(1));
        throughput.show({});
        QVERIFY(QTest::qWaitFor([&] { return !numbersAlong(phases, Qt::Vertical).isEmpty(); }));
        QVERIFY(QTest::qWaitFor([&] { return !numbersAlong(throughput, Qt::Horizontal).isEmpty(); }));
        for (const Appearance appearance : {Appearance::light, Appearance::dark, Appearance::light}) {
            QCOMPARE(numbersAlong(phases, Qt::Horizontal), QStringList());
            QCOMPARE(numbersAlong(throughput, Qt::Vertical), QStringList());
            theme.apply(appearance, FontChoice::ringside, 1.3);
        }
        throughput.show({{{1, 10, 20, 30}}, 5, 0, {}, {}, {}});
        QVERIFY(QTest::qWaitFor([&] { return !numbersAlong(throughput, Qt::Vertical).isEmpty(); }));
        phases.show({});
        QCOMPARE(numbersAlong(phases, Qt::Vertical), QStringList());
        theme.apply(Appearance::dark, FontChoice::ringside, 1);
        QCOMPARE(numbersAlong(phases, Qt::Vertical), QStringList());
    }

    void theKeyNamesWhatIsNotTold()
    {
        ThemeController theme;
        PhaseKey key(theme);
        const auto names = [&] {
            QStringList texts;
            for (const auto* label : key.findChildren<QLabel*>())
                if (label->isVisibleTo(&key))
                    texts << label->text();
            return texts;
        };
        const QString forward = QStringLiteral("Forward"), other = QStringLiteral("Other"),
                      rest = QStringLiteral("Not told");
        std::vector<RankPhases> ranks = oneRank(1);
        ranks[0].ms[static_cast<std::size_t>(Phase::other)] = 2;
        key.show(ranks);
        QCOMPARE(names(), QStringList({forward, other}));
        ranks.push_back(ranks[0]);
        ranks[1].told = {Phase::forward};
        key.show(ranks);
        QCOMPARE(names(), QStringList({forward, other, rest}));
        ranks.erase(ranks.begin());
        key.show(ranks);
        QCOMPARE(names(), QStringList({forward, rest}));
    }

    void nothingAlongAnAxisIsPrintedOnAnything_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<double>("scale");
        for (const QSize size : {QSize(420, 130), QSize(700, 300)})
            for (const double scale : {1.0, 1.3})
                QTest::addRow("%dx%d, %g", size.width(), size.height(), scale) << size << scale;
    }

    void nothingAlongAnAxisIsPrintedOnAnything()
    {
        QFETCH(QSize, size);
        QFETCH(double, scale);
        ThemeController theme;
        theme.apply(Appearance::light, FontChoice::ringside, scale);
        PhaseBarsChart phases(theme);
        ThroughputChart throughput(theme);
        for (ChartView* chart : {static_cast<ChartView*>(&phases), static_cast<ChartView*>(&throughput)}) {
            chart->resize(size);
            chart->setVisible(true);
        }
        for (const double value : {0.012, 0.7, 31.0, 4352.0, 123'456.0}) {
            phases.show(oneRank(value));
            throughput.show({{{1, value / 2, value, value}}, 1'000'000, 5, value, value, {}});
            for (const ChartView* chart : {static_cast<ChartView*>(&phases), static_cast<ChartView*>(&throughput)}) {
                QVERIFY(QTest::qWaitFor([&] { return !numbersAlong(*chart, Qt::Vertical).isEmpty(); }));
                QVERIFY2(QTest::qWaitFor([&] { return overprinted(*chart).isEmpty(); }, 500),
                         qPrintable(overprinted(*chart).join(u'|')));
                QVERIFY2(QTest::qWaitFor([&] { return cutTexts(*chart).isEmpty(); }, 500),
                         qPrintable(cutTexts(*chart).join(u'|')));
            }
        }
    }
};

} // namespace ringside

QTEST_MAIN(ringside::ChartsTest)
#include "test_charts.moc"
