// SPDX-License-Identifier: GPL-3.0-or-later
// Files of figures as other programs read them: poppler for PDF, Qt's own readers for SVG and PNG.
#include "app/figures/exportfigure.h"
#include "app/figures/figureimage.h"
#include "app/figures/figurerenderer.h"
#include "app/figures/marks.h"
#include "tests/app/figures/timelinefigure.h"
#include "tests/report/support/lab.h"

#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <functional>
#include <set>

using namespace ringside;
using report::FigureData, report::ComparedKind;
using report::kThroughput, report::kSpeedup, report::kEfficiency, report::kPhaseStacks;

namespace {

constexpr int kProcessLimitMs = 30'000;

QString outputOf(const QString& program, const QStringList& arguments)
{
    QProcess process;
    process.start(program, arguments);
    if (!process.waitForFinished(kProcessLimitMs))
        qFatal("%s did not end", qPrintable(program));
    return QString::fromUtf8(process.readAllStandardOutput());
}

FigureData figureOf(const ComparedKind& kind, int repeats = 6, std::vector<std::int64_t> ranks = {1, 2, 4})
{
    const auto experiment = test::plansExperiment(std::move(ranks), repeats);
    return report::figure(test::compared(experiment, test::measure(experiment, test::usualMeasurement), kind));
}

FigureData barsFigure()
{
    auto experiment = test::plansExperiment({2}, 4);
    experiment.base = {{"plan", Value("one")}};
    return report::figure(test::compared(experiment, test::measure(experiment, test::usualMeasurement), kSpeedup));
}

/// The middles of the markers of one model's curves over 1 and 2 ranks as they are on the page, in pixels of the
/// screen; the plan "buckets" is `faster` times as fast as "one" on 2.
std::vector<QPointF> markersOnScreen(double faster)
{
    const auto experiment = test::plansExperiment({1, 2}, 6, {"alexnet"});
    const auto runs = test::measure(experiment, [faster](const Settings& settings, int repeat) {
        const double rate = 100.0 * double(*integerOf(settings, "ranks")) + repeat;
        return test::Measured{textOf(settings, "plan") == "buckets" ? faster * rate : rate, 0.1, 0};
    });
    figures::PaperOptions options;
    options.size = {182, 80};
    QImage image(728, 320, QImage::Format_RGB32);
    QPainter painter(&image);
    std::vector<figures::PlacedRuns> placed;
    figures::FigureRenderer(report::figure(test::compared(experiment, runs, kThroughput)), options)
        .paint(painter, image.rect(), &placed);
    std::vector<QPointF> middles;
    for (const auto& each : placed)
        middles.push_back(each.box.center());
    return middles;
}

/// Pixels that are not white within the outermost `edge` pixels.
bool touchesEdge(const QImage& image, int edge)
{
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            const bool isInside = x >= edge && y >= edge && x < image.width() - edge && y < image.height() - edge;
            if (!isInside && image.pixel(x, y) != qRgb(255, 255, 255))
                return true;
        }
    return false;
}

/// Returns the picture that `draw` makes on white paper, without colours.
QImage inGray(QSize size, const std::function<void(QPainter&, const figures::Look&)>& draw)
{
    QImage image(size, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    draw(painter, {figures::paperPalette(), 1});
    painter.end();
    return image.convertToFormat(QImage::Format_Grayscale8);
}

/// All in one colour, so that only shape speaks.
figures::SeriesMark blackMark(int style)
{
    figures::SeriesMark mark = figures::seriesMark(style, false, figures::paperPalette());
    mark.colour = Qt::black;
    return mark;
}

QImage grayMarker(int style)
{
    return inGray({15, 15}, [style](QPainter& painter, const figures::Look& look) {
        figures::drawMarker(painter, {7.5, 7.5}, blackMark(style), false, look);
    });
}

QImage grayLine(int style)
{
    return inGray({200, 4}, [style](QPainter& painter, const figures::Look& look) {
        figures::drawLine(painter, QPolygonF({{0, 2}, {200, 2}}), blackMark(style), look);
    });
}

QImage grayBar(int style)
{
    return inGray({60, 40}, [style](QPainter& painter, const figures::Look& look) {
        figures::drawHatch(painter, {0, 0, 60, 40}, blackMark(style).hatch, Qt::black, look);
    });
}

/// Pixels that differ, as a share of the inked ones of the picture that has more ink.
double differingShare(const QImage& a, const QImage& b)
{
    constexpr int kInk = 192, kStep = 64; // of 255
    int differing = 0, inkOfA = 0, inkOfB = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x) {
            const int grayA = qGray(a.pixel(x, y)), grayB = qGray(b.pixel(x, y));
            differing += std::abs(grayA - grayB) > kStep;
            inkOfA += grayA < kInk;
            inkOfB += grayB < kInk;
        }
    return double(differing) / std::max(inkOfA, inkOfB);
}

} // namespace

class TestFigures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void pdfHasTheAskedSizeEmbeddedFontsAndReadableText();
    void svgHasItsWidthInMillimetresAndOnePathPerLine();
    void svgIsWellFormedWhateverTheWords();
    void svgKeepsTextUnlessOutlinesAreAskedFor();
    void pngHas600DotsPerInch();
    void nothingIsClippedAtTheEdge_data();
    void nothingIsClippedAtTheEdge();
    void noTextIsSmallerThanEightPoints();
    void csvHasThePlottedValues();
    void everyProgramsErrorIsNamedAndLeavesNoTornFile();
    void anEmptyFigureSaysWhy();
    void heightFollowsTheContentIfNoneIsAsked();
    void seriesDifferInColourMarkerDashAndHatch();
    void seriesCanBeToldApartInGray_data();
    void seriesCanBeToldApartInGray();
    void hatchStaysInsideItsBox();
    void openMarkersAreHollow();
    void equalPointsStandSideBySide();
    void pointsThatAreApartStandAtTheirX();
    void numbersInBarsKeepClearOfWhiskers();
    void labelsOfAnAxisAreEquallyFarApart();
    void phasesThatCannotBeSeenAreNotInTheKey();
    void aTimelineShowsItsPartOfTheTime();
    void aTimelineIsAlsoATrace();

private:
    QStringList textsOf(const FigureData& figure, const figures::PaperOptions& options = {});
    fs::path file(const char* name) const { return fs::path(m_folder.path().toStdString()) / name; }
    QTemporaryDir m_folder;
};

void TestFigures::pdfHasTheAskedSizeEmbeddedFontsAndReadableText()
{
    if (QStandardPaths::findExecutable(QStringLiteral("pdffonts")).isEmpty())
        QSKIP("poppler-utils are not installed");
    const fs::path path = file("speedup.pdf");
    QVERIFY(figures::exportFigure(figureOf(kSpeedup), path, figures::PaperSize{88.9, 100}));
    const QString name = QString::fromStdString(path.string());
    const auto size = QRegularExpression(QStringLiteral("Page size:\\s+([\\d.]+) x ([\\d.]+)"))
                          .match(outputOf(QStringLiteral("pdfinfo"), {name}));
    QCOMPARE(size.captured(1).toDouble(), 252.0); // 88.9 mm
    QVERIFY(std::abs(size.captured(2).toDouble() - 100 / 25.4 * 72) < 0.6);
    const QStringList fonts = outputOf(QStringLiteral("pdffonts"), {name}).split(u'\n', Qt::SkipEmptyParts).mid(2);
    QVERIFY(!fonts.isEmpty());
    for (const QString& font : fonts)
        QVERIFY2(font.contains(QRegularExpression(QStringLiteral("\\syes (yes|no)\\s+yes"))), qPrintable(font));
    const QString text = outputOf(QStringLiteral("pdftotext"), {name, QStringLiteral("-")});
    for (const char* word : {"Speed-up (ratio)", "CPU ranks (count)", "buckets", "ideal", "base case", "ResNet-50"})
        QVERIFY2(text.contains(QLatin1String(word)), word);
}

void TestFigures::svgHasItsWidthInMillimetresAndOnePathPerLine()
{
    const fs::path path = file("throughput.svg");
    QVERIFY(figures::exportFigure(figureOf(kThroughput), path, figures::PaperSize{182, 60}));
    const QString svg = QString::fromStdString(*readFile(path));
    QVERIFY(svg.contains(QStringLiteral("width=\"182mm\" height=\"60mm\"")));
    QVERIFY(QSvgRenderer(svg.toUtf8()).isValid());
    const auto dashed = svg.count(QStringLiteral("stroke-dasharray"));
    QVERIFY2(dashed > 0 && dashed <= 2 * 2 + 2, qPrintable(QString::number(dashed))); // panels and key, one each
}

void TestFigures::svgIsWellFormedWhateverTheWords()
{
    FigureData figure = figureOf(kSpeedup, 4); // its key and caption say “n < 6”
    figure.title = "a < b & \"c\"";
    QVERIFY(figures::exportFigure(figure, file("words.svg")));
    QXmlStreamReader reader(QByteArray::fromStdString(*readFile(file("words.svg"))));
    while (!reader.atEnd())
        reader.readNext();
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
}

void TestFigures::svgKeepsTextUnlessOutlinesAreAskedFor()
{
    figures::PaperOptions options;
    QVERIFY(figures::exportFigure(figureOf(kSpeedup), file("text.svg"), options));
    QVERIFY(readFile(file("text.svg"))->find(">buckets</text>") != std::string::npos);
    options.outlines = true;
    QVERIFY(figures::exportFigure(figureOf(kSpeedup), file("outlines.svg"), options));
    QVERIFY(readFile(file("outlines.svg"))->find("<text") == std::string::npos);
}

void TestFigures::pngHas600DotsPerInch()
{
    QVERIFY(figures::exportFigure(figureOf(kEfficiency), file("efficiency.png"), figures::PaperSize{88.9, 90}));
    const QImage image(QString::fromStdString(file("efficiency.png").string()));
    QCOMPARE(image.width(), 2100);
    QCOMPARE(qRound(image.dotsPerMeterX() * 0.0254), 600);
}

void TestFigures::nothingIsClippedAtTheEdge_data()
{
    QTest::addColumn<const ComparedKind*>("kind");
    QTest::addColumn<int>("repeats");
    QTest::addColumn<double>("width");
    for (const auto* kind : {&kThroughput, &kSpeedup, &kEfficiency, &kPhaseStacks})
        for (const int repeats : {4, 6})
            for (const double width : {60.0, 88.9, 182.0})
                QTest::addRow("%s %d %g", kind->name().data(), repeats, width) << kind << repeats << width;
}

void TestFigures::nothingIsClippedAtTheEdge()
{
    QFETCH(const ComparedKind*, kind);
    QFETCH(int, repeats);
    QFETCH(double, width);
    figures::PaperOptions options;
    options.size.widthMm = width;
    const QImage image = figures::figureImage(figureOf(*kind, repeats), options, 150);
    QVERIFY(!touchesEdge(image, 2));
}

void TestFigures::noTextIsSmallerThanEightPoints()
{
    figures::PaperOptions options;
    options.textPt = 3;
    QVERIFY(figures::exportFigure(figureOf(kPhaseStacks), file("small.svg"), options));
    const QString svg = QString::fromStdString(*readFile(file("small.svg")));
    auto sizes = QRegularExpression(QStringLiteral("<text[^>]*font-size=\"([\\d.]+)\"")).globalMatch(svg);
    QVERIFY(sizes.hasNext());
    while (sizes.hasNext())
        QVERIFY(sizes.next().captured(1).toDouble() >= 8 * 20); // the view box has twentieths of a point
}

void TestFigures::csvHasThePlottedValues()
{
    QVERIFY(figures::exportFigure(figureOf(kSpeedup), file("speedup.csv")));
    QVERIFY(readFile(file("speedup.csv"))->starts_with("model,ranks,plan,speedup,low,high,unit,n,"));
}

void TestFigures::everyProgramsErrorIsNamedAndLeavesNoTornFile()
{
    const FigureData figure = figureOf(kSpeedup);
    const auto unknown = figures::exportFigure(figure, file("figure.docx"));
    QVERIFY(!unknown);
    QCOMPARE(unknown.error().code, ErrorCode::usage);
    const auto nowhere = figures::exportFigure(figure, file("no such folder/figure.pdf"));
    QVERIFY(!nowhere);
    QCOMPARE(nowhere.error().code, ErrorCode::notFound);
    QVERIFY(nowhere.error().message.starts_with("figure.pdf could not be written: there is no folder"));
    QVERIFY(writeFileAtomically(file("is-a-folder.pdf") / "x", "").error().code == ErrorCode::notFound);
    QVERIFY(fs::create_directory(file("is-a-folder.pdf")));
    QVERIFY(!figures::exportFigure(figure, file("is-a-folder.pdf")));
    for (const auto& entry : fs::directory_iterator(m_folder.path().toStdString()))
        QVERIFY2(entry.path().string().find(".tmp-") == std::string::npos, entry.path().c_str());
}

void TestFigures::anEmptyFigureSaysWhy()
{
    FigureData figure;
    figure.notes = {"No finished runs match."};
    QVERIFY(figures::exportFigure(figure, file("empty.svg")));
    QVERIFY(readFile(file("empty.svg"))->find("No finished runs match.") != std::string::npos);
}

void TestFigures::heightFollowsTheContentIfNoneIsAsked()
{
    const auto heightOf = [](const FigureData& figure, double width) {
        figures::PaperOptions options;
        options.size.widthMm = width;
        return figures::FigureRenderer(figure, options).size().heightMm;
    };
    // Two panels: below each other in one column, side by side in two.
    QVERIFY(heightOf(figureOf(kSpeedup), 88.9) > 1.6 * heightOf(figureOf(kSpeedup), 182));
    QVERIFY(heightOf(figureOf(kPhaseStacks, 6, {1, 2, 4, 8}), 182) > heightOf(figureOf(kPhaseStacks, 6, {1, 2}), 182));
    QVERIFY(!touchesEdge(figures::figureImage(barsFigure(), {}, 150), 2));
}

void TestFigures::seriesDifferInColourMarkerDashAndHatch()
{
    std::set<std::pair<QRgb, int>> looks;
    std::set<int> markers, hatches;
    for (int i = 0; i < figures::kSeriesMarks; ++i) {
        const auto mark = figures::seriesMark(i, false, figures::paperPalette());
        looks.insert({mark.colour.rgb(), static_cast<int>(mark.marker)});
        markers.insert(static_cast<int>(mark.marker));
        hatches.insert(static_cast<int>(mark.hatch));
    }
    QCOMPARE(looks.size(), std::size_t{figures::kSeriesMarks});
    QCOMPARE(markers.size(), std::size_t{figures::kSeriesMarks});
    QCOMPARE(hatches.size(), std::size_t{figures::kSeriesMarks});
    QCOMPARE(figures::seriesMark(7, false, figures::paperPalette()).colour,
             figures::seriesMark(12, false, figures::paperPalette()).colour);
}

void TestFigures::seriesCanBeToldApartInGray_data()
{
    QTest::addColumn<int>("first");
    QTest::addColumn<int>("second");
    for (int first = 0; first < figures::kSeriesMarks; ++first)
        for (int second = first + 1; second < figures::kSeriesMarks; ++second)
            QTest::addRow("%d %d", first, second) << first << second;
}

void TestFigures::seriesCanBeToldApartInGray()
{
    QFETCH(int, first);
    QFETCH(int, second);
    constexpr double kSeen = 0.1; ///< of the ink
    QVERIFY2(differingShare(grayMarker(first), grayMarker(second)) > kSeen, "markers");
    QVERIFY2(differingShare(grayLine(first), grayLine(second)) > kSeen, "lines");
    QVERIFY2(differingShare(grayBar(first), grayBar(second)) > kSeen, "bars");
}

void TestFigures::hatchStaysInsideItsBox()
{
    for (const Hatch hatch :
         {Hatch::forward, Hatch::horizontal, Hatch::backward, Hatch::dots, Hatch::vertical, Hatch::crossed}) {
        QImage image(100, 60, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        figures::drawHatch(painter, {20, 15, 60, 30}, hatch, Qt::black, {figures::paperPalette(), 1});
        painter.end();
        QVERIFY(!touchesEdge(image, 13));
        QVERIFY(touchesEdge(image, 29)); // and there is something in it
    }
}

void TestFigures::openMarkersAreHollow()
{
    for (const bool open : {false, true}) {
        QImage image(21, 21, QImage::Format_RGB32);
        image.fill(Qt::gray);
        QPainter painter(&image);
        const figures::Look look{figures::paperPalette(), 1};
        figures::drawMarker(painter, {10.5, 10.5}, figures::seriesMark(0, false, look.palette), open, look);
        painter.end();
        QCOMPARE(image.pixelColor(10, 10), open ? QColor(Qt::white) : QColor(0x00, 0x72, 0xB2));
    }
}

void TestFigures::equalPointsStandSideBySide()
{
    const std::vector<QPointF> markers = markersOnScreen(1);
    QCOMPARE(markers.size(), std::size_t{3}); // on 1 rank there is no plan
    const QPointF &one = markers[1], &buckets = markers[2];
    QVERIFY2(buckets.x() - one.x() > 4 && buckets.x() - one.x() < 12,
             qPrintable(QString::number(buckets.x() - one.x())));
    QCOMPARE(one.y(), buckets.y());
}

void TestFigures::pointsThatAreApartStandAtTheirX()
{
    const std::vector<QPointF> markers = markersOnScreen(1.6);
    QCOMPARE(markers.size(), std::size_t{3});
    QCOMPARE(markers[1].x(), markers[2].x());
}

/// In the order in which they are drawn.
QStringList TestFigures::textsOf(const FigureData& figure, const figures::PaperOptions& options)
{
    if (!figures::exportFigure(figure, file("texts.svg"), options))
        return {};
    const QString svg = QString::fromStdString(*readFile(file("texts.svg")));
    QStringList texts;
    for (auto all = QRegularExpression(QStringLiteral(">([^<>]+)</text>")).globalMatch(svg); all.hasNext();)
        texts << all.next().captured(1);
    return texts;
}

void TestFigures::numbersInBarsKeepClearOfWhiskers()
{
    FigureData figure = figureOf(kPhaseStacks);
    auto& panels = figure.as<report::Stacks>()->panels;
    panels.resize(1);
    panels[0].stacks.resize(1);
    report::Stack& stack = panels[0].stacks[0];
    stack.phases = {0, 0, 400, 800, 0, 0, 0};
    stack.low = stack.high = stack.total = 1200;
    const QString forward = QStringLiteral("400"), backward = QStringLiteral("800");
    QVERIFY(textsOf(figure).contains(forward) && textsOf(figure).count(backward) > 0);
    stack.phases = {0, 0, 403, 797, 0, 0, 0}; // no labels of the axis
    stack.low = 450;
    stack.high = 2000;
    QStringList texts = textsOf(figure);
    QVERIFY2(texts.contains(QStringLiteral("403")), qPrintable(texts.join(u'|')));
    QVERIFY2(!texts.contains(QStringLiteral("797")), "the whisker runs through the whole of it");
    stack.low = 1000; // leaves room on the left
    texts = textsOf(figure);
    QVERIFY2(texts.contains(QStringLiteral("797")), qPrintable(texts.join(u'|')));
}

void TestFigures::labelsOfAnAxisAreEquallyFarApart()
{
    FigureData figure = figureOf(kPhaseStacks);
    figure.as<report::Stacks>()->panels.resize(1);
    for (report::Stack& stack : figure.as<report::Stacks>()->panels[0].stacks) {
        stack.total = 2165.3;
        stack.low = 1200;
        stack.high = 3496;
    }
    for (const double width : {60.0, 70.0, 80.0, 88.9, 182.0}) {
        figures::PaperOptions options;
        options.size = {width, 60};
        QList<int> labels;
        for (const QString& text : textsOf(figure, options))
            if (bool isNumber = false; text.toInt(&isNumber) % 500 == 0 && isNumber)
                labels << text.toInt();
        QVERIFY(labels.size() > 1);
        for (qsizetype i = 2; i < labels.size(); ++i)
            QCOMPARE(labels[i] - labels[i - 1], labels[1] - labels[0]);
    }
}

void TestFigures::phasesThatCannotBeSeenAreNotInTheKey()
{
    FigureData figure = figureOf(kPhaseStacks);
    QVERIFY(textsOf(figure).contains(QStringLiteral("Input wait")));
    for (report::Stacks::Panel& panel : figure.as<report::Stacks>()->panels)
        for (report::Stack& stack : panel.stacks)
            stack.phases[std::size_t(Phase::inputWait)] = 0.002 * stack.total;
    QVERIFY(!textsOf(figure).contains(QStringLiteral("Input wait")));
    QVERIFY(textsOf(figure).contains(QStringLiteral("Backward")));
}

void TestFigures::aTimelineShowsItsPartOfTheTime()
{
    FigureData figure = test::timelineFigure();
    QCOMPARE(test::placedRuns(figure).size(), std::size_t(2 * (3 + 4 + 1)));
    for (const char* text : {"rank 0", "rank 1", "n1", "n2", "Forward", "Communication of a bucket", "Time (ms)"})
        QVERIFY2(textsOf(figure).contains(QString::fromLatin1(text)), text);
    figure.as<report::Lanes>()->shown = {0, 35}; // forward, and the beginning of backward
    const auto placed = test::placedRuns(figure);
    QCOMPARE(placed.size(), std::size_t(2 * (2 + 2)));
    for (const auto& each : placed)
        QVERIFY(each.bar && each.bar->start < 35 && each.box.width() > 0);
    QVERIFY(textsOf(figure).contains(QStringLiteral("conv1"))); // now there is room for names
}

void TestFigures::aTimelineIsAlsoATrace()
{
    const FigureData figure = test::timelineFigure();
    QVERIFY(figures::exportFigure(figure, file("timeline.json")));
    QVERIFY(readFile(file("timeline.json"))->find("\"traceEvents\"") != std::string::npos);
    QVERIFY(figures::exportFigure(figure, file("timeline.pdf")));
    const auto refused = figures::exportFigure(figureOf(kPhaseStacks), file("phases.json"));
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::usage);
}

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QGuiApplication app(argc, argv);
    TestFigures tests;
    return QTest::qExec(&tests, argc, argv);
}

#include "test_figures.moc"
