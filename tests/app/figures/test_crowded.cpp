// SPDX-License-Identifier: GPL-3.0-or-later
// Figures with more series than colours: which of them are in colour, and that nothing lies on anything else.
#include "app/figures/exportfigure.h"
#include "app/figures/figurerenderer.h"
#include "app/figures/panels.h"
#include "core/report/figure.h"
#include "core/report/table.h"
#include "core/spec/plans.h"
#include "tests/app/figures/recordingdevice.h"
#include "tests/report/support/lab.h"

#include <QTest>
#include <algorithm>
#include <map>
#include <set>

using namespace ringside;
using report::FigureData;
using report::Series;

namespace {

constexpr std::size_t kPlans = 14;

std::vector<std::string> planLevels()
{
    std::vector<std::string> names = spec::planNames({});
    names.resize(kPlans);
    return names;
}

int placeOf(const Settings& settings)
{
    const std::vector<std::string> names = planLevels();
    const auto found = std::ranges::find(names, textOf(settings, "plan").value_or("none"));
    return found == names.end() ? 0 : static_cast<int>(found - names.begin());
}

/// The later a plan stands in the list, the faster it is, by `step` of the rate.
report::Comparison crowded(const report::ComparedKind& kind, double step, int repeats = 6)
{
    auto experiment = test::plansExperiment({1, 2, 4, 8, 16}, repeats, {"alexnet"});
    experiment.factors.back().levels.clear();
    for (const std::string& name : planLevels())
        experiment.factors.back().levels.emplace_back(name);
    const auto runs = test::measure(experiment, [step](const Settings& settings, int repeat) {
        const double ranks = numberOf(settings, "ranks").value_or(1);
        return test::Measured{100 * ranks * (1 + step * placeOf(settings) * (ranks > 1)) + repeat, 0.1, 0};
    });
    return test::compared(experiment, runs, kind);
}

std::set<std::string> coloured(const FigureData& figure)
{
    std::set<std::string> names;
    for (const Series& series : test::pointsOf(figure).panels.at(0).series)
        if (!series.neutral && !series.isGray())
            names.insert(QString::fromStdString(series.name).remove(QStringLiteral("†")).toStdString());
    return names;
}

/// Content of a page: boxes of texts, and of markers of series in colour; and the place of each point's runs.
struct Page
{
    std::vector<test::DrawnText> texts;
    std::vector<QRectF> markers;
    std::map<std::vector<RunId>, QRectF> places;
};

Page pageOf(const FigureData& figure, double widthMm)
{
    figures::PaperOptions options;
    options.size.widthMm = widthMm;
    const figures::FigureRenderer renderer(figure, options);
    const QSizeF size(renderer.size().widthMm * 10, renderer.size().heightMm * 10);
    test::RecordingDevice device(size.toSize());
    QPainter painter(&device);
    std::vector<figures::PlacedRuns> placed;
    renderer.paint(painter, QRectF({}, size), &placed);
    painter.end();
    std::set<std::vector<RunId>> gray;
    for (const Series& series : test::pointsOf(figure).panels.at(0).series)
        for (const report::Point& point : series.points)
            if (series.isGray())
                gray.insert(point.runs);
    Page page{device.texts(), {}, {}};
    for (const figures::PlacedRuns& each : placed)
        page.places[each.runs] = each.box;
    for (const figures::PlacedRuns& each : placed)
        if (!gray.contains(each.runs))
            page.markers.push_back(each.box);
    return page;
}

/// Returns the overlaps of any two of its texts, and of its texts and markers.
QStringList overlapsOn(const Page& page)
{
    QStringList found;
    for (std::size_t i = 0; i < page.texts.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
            if (page.texts[i].box.intersects(page.texts[j].box))
                found << page.texts[i].text + QStringLiteral(" on ") + page.texts[j].text;
        for (const QRectF& marker : page.markers)
            if (marker.intersects(page.texts[i].box))
                found << page.texts[i].text + QStringLiteral(" on a marker");
    }
    return found;
}

QString boxText(const QRectF& box)
{
    return QStringLiteral("%1 %2 %3×%4").arg(box.x()).arg(box.y()).arg(box.width()).arg(box.height());
}

} // namespace

class TestCrowded : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theBestSevenAreInColour();
    void onlyWishedSeriesAreInColour();
    void sevenSeriesKeepTheColourOfTheirLevel();
    void theBaseIsInColourHoweverSlow();
    void figureAndTableAgree();
    void graySeriesHaveOneEntryInTheKey();
    void nothingLiesOnAnythingElse_data();
    void nothingLiesOnAnythingElse();
    void namesOfManyCategoriesStandBesideEachOther();
    void whatElseTheBaseCaseDiffersInIsWritten_data();
    void whatElseTheBaseCaseDiffersInIsWritten();
    void pointsWithoutAMarkerCanBePointedAt();
    void theBaseKeepsItsMarker();
    void everyColouredSeriesIsNamed_data() { nothingLiesOnAnythingElse_data(); }
    void everyColouredSeriesIsNamed();
};

void TestCrowded::namesOfManyCategoriesStandBesideEachOther()
{
    auto experiment = test::plansExperiment({2}, 6, {"alexnet"});
    experiment.factors.clear();
    experiment.fixed["ranks"] = Value(std::int64_t{2});
    experiment.fixed["model"] = Value("alexnet");
    experiment.factors.push_back({"plan", {}});
    for (const std::string& name : planLevels())
        experiment.factors.back().levels.emplace_back(name);
    const auto comparison =
        test::compared(experiment, test::measure(experiment, test::usualMeasurement), report::kThroughput);
    for (const double width : {88.9, 180.0}) {
        const Page page = pageOf(report::figure(comparison), width);
        const auto isThere = [&](const std::string& name) {
            return std::ranges::any_of(page.texts, [&](const test::DrawnText& text) {
                return text.text.startsWith(QString::fromStdString(name));
            });
        };
        for (const std::string& name : planLevels())
            QVERIFY2(isThere(name), name.c_str());
        const QStringList overlaps = overlapsOn(Page{page.texts, {}, {}});
        QVERIFY2(overlaps.isEmpty(), qPrintable(overlaps.join(QStringLiteral("; "))));
    }
}

void TestCrowded::theBestSevenAreInColour()
{
    const std::vector<std::string> plans = planLevels();
    QCOMPARE(coloured(report::figure(crowded(report::kSpeedup, 0.02))), std::set(plans.end() - 7, plans.end()));
}

void TestCrowded::onlyWishedSeriesAreInColour()
{
    const std::vector<std::string> plans = planLevels();
    report::FigureRequest request;
    request.coloured = {plans[0], plans[3]};
    QCOMPARE(coloured(report::figure(crowded(report::kThroughput, 0.02), request)), (std::set{plans[0], plans[3]}));
    request.coloured = {"no longer there"};
    QCOMPARE(coloured(report::figure(crowded(report::kThroughput, 0.02), request)).size(), std::size_t{7});
}

/// The fourth level has the fourth colour whatever else is shown.
void TestCrowded::sevenSeriesKeepTheColourOfTheirLevel()
{
    report::Comparison comparison = crowded(report::kSpeedup, 0.02);
    const std::vector<std::string> plans = planLevels();
    std::erase_if(comparison.groups, [&](const report::Group& group) {
        const auto plan = textOf(group.settings, "plan");
        return plan != "none" && plan != plans[3] && plan != plans[5];
    });
    const report::FigureData figure = report::figure(comparison);
    for (const Series& series : test::pointsOf(figure).panels.at(0).series)
        if (!series.neutral)
            QCOMPARE(series.style, series.name == plans[3] ? 3 : 5);
}

void TestCrowded::theBaseIsInColourHoweverSlow()
{
    report::Comparison comparison = crowded(report::kSpeedup, 0.02);
    const std::vector<std::string> plans = planLevels();
    for (report::Group& group : comparison.groups)
        group.isBase = textOf(group.settings, "plan") == plans[0];
    QVERIFY(coloured(report::figure(comparison)).contains(plans[0]));
}

void TestCrowded::figureAndTableAgree()
{
    const report::Comparison comparison = crowded(report::kSpeedup, 0.02);
    const FigureData figure = report::figure(comparison);
    std::set<int> inFigure, inTable;
    for (const Series& series : test::pointsOf(figure).panels.at(0).series)
        if (!series.neutral)
            inFigure.insert(series.style);
    for (const report::TableRow& row : report::summaryTable(comparison).rows)
        if (!row.neutral)
            inTable.insert(*row.style);
    QCOMPARE(inTable, inFigure);
    QCOMPARE(inFigure.size(), std::size_t{8}); // seven colours and gray
}

void TestCrowded::graySeriesHaveOneEntryInTheKey()
{
    const FigureData figure = report::figure(crowded(report::kThroughput, 0.02));
    const auto entries = figures::painterOf(test::pointsOf(figure))->keyEntries();
    QCOMPARE(std::ranges::count(entries, QStringLiteral("7 more"), &figures::KeyEntry::text), 1);
}

void TestCrowded::nothingLiesOnAnythingElse_data()
{
    QTest::addColumn<double>("width");
    QTest::addColumn<double>("step");
    QTest::addColumn<int>("repeats");
    for (const double width : {figures::kOneColumnMm, figures::kTwoColumnsMm})
        for (const double step : {0.0, 0.002, 0.02, 0.08})
            for (const int repeats : {3, 6})
                QTest::addRow("%g mm, %g, n = %d", width, step, repeats) << width << step << repeats;
}

void TestCrowded::nothingLiesOnAnythingElse()
{
    QFETCH(double, width);
    QFETCH(double, step);
    QFETCH(int, repeats);
    for (const report::ComparedKind* kind : {&report::kThroughput, &report::kSpeedup, &report::kEfficiency}) {
        const Page page = pageOf(report::figure(crowded(*kind, step, repeats)), width);
        QVERIFY(page.texts.size() > 10 && page.markers.size() > 5);
        QCOMPARE(overlapsOn(page), QStringList());
        for (std::size_t i = 0; i < page.markers.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY2(!page.markers[i].intersects(page.markers[j]),
                         qPrintable(boxText(page.markers[i]) + QStringLiteral(" on ") + boxText(page.markers[j])));
    }
}

void TestCrowded::whatElseTheBaseCaseDiffersInIsWritten_data()
{
    QTest::addColumn<double>("width");
    for (const double width : {figures::kOneColumnMm, figures::kTwoColumnsMm})
        QTest::addRow("%g mm", width) << width;
}

/// On the figure itself, which is shown without its caption, too.
void TestCrowded::whatElseTheBaseCaseDiffersInIsWritten()
{
    QFETCH(double, width);
    report::Comparison comparison = crowded(report::kSpeedup, 0.02);
    for (report::Group& group : comparison.groups)
        if (group.base && !group.isBase)
            for (const char* key : {"batch_per_rank", "image_size", "precision", "layout", "learning_rate"})
                group.differs[key] = {Value(std::int64_t{1}), Value(std::int64_t{2})};
    const Page page = pageOf(report::figure(comparison), width);
    QStringList texts;
    for (const test::DrawnText& text : page.texts)
        texts << text.text;
    QVERIFY2(texts.join(u' ').contains(QStringLiteral("base case differs in batch per rank, image size, layout, "
                                                      "learning rate and precision, too")),
             qPrintable(texts.join(u'|')));
    QCOMPARE(overlapsOn(page), QStringList());
}

void TestCrowded::pointsWithoutAMarkerCanBePointedAt()
{
    const FigureData figure = report::figure(crowded(report::kThroughput, 0));
    const Page page = pageOf(figure, figures::kOneColumnMm);
    for (const Series& series : test::pointsOf(figure).panels.at(0).series)
        for (const report::Point& point : series.points)
            QVERIFY2(page.places.contains(point.runs), series.name.c_str());
    const auto hasNone = [](const auto& place) { return place.second.isEmpty(); };
    QVERIFY2(std::ranges::any_of(page.places, hasNone), "the figure is to be so crowded that a marker has no room");
}

void TestCrowded::theBaseKeepsItsMarker()
{
    FigureData figure = report::figure(crowded(report::kThroughput, 0));
    const auto boxOf = [&](const report::Point& point) {
        return pageOf(figure, figures::kOneColumnMm).places.at(point.runs);
    };
    const auto isHidden = [&](const report::Point& point) { return boxOf(point).isEmpty(); };
    report::Point* hidden = nullptr;
    for (Series& series : figure.as<report::Points>()->panels.at(0).series)
        if (const auto found = std::ranges::find_if(series.points, isHidden); found != series.points.end())
            hidden = &*found;
    QVERIFY(hidden);
    hidden->isBase = true;
    QVERIFY(!isHidden(*hidden));
}

/// In the key, each with a marker and dash of its own.
void TestCrowded::everyColouredSeriesIsNamed()
{
    QFETCH(double, width);
    QFETCH(double, step);
    QFETCH(int, repeats);
    const FigureData figure = report::figure(crowded(report::kSpeedup, step, repeats));
    const Page page = pageOf(figure, width);
    for (const std::string& name : coloured(figure))
        QVERIFY2(std::ranges::any_of(page.texts,
                                     [&](const auto& drawn) {
                                         return QString(drawn.text).remove(QStringLiteral("†")) ==
                                                QString::fromStdString(name);
                                     }),
                 name.c_str());
    std::set<int> styles;
    for (const Series& series : test::pointsOf(figure).panels.at(0).series)
        if (!series.neutral && !series.isGray())
            styles.insert(series.style);
    QCOMPARE(styles.size(), std::size_t{7});
}

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QGuiApplication app(argc, argv);
    TestCrowded tests;
    return QTest::qExec(&tests, argc, argv);
}

#include "test_crowded.moc"
