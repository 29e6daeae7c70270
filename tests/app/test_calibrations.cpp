// SPDX-License-Identifier: MIT
// The card of page Sites that shows a site's calibration, measures one for real on this computer, and stops it.
#include "app/charts/figureview.h"
#include "app/pages/sites/calibrationcard.h"
#include "app/widgets/segmentedcontrol.h"
#include "core/adapters/logformats.h"
#include "core/imports/importing.h"
#include "core/sites/sitebook.h"
#include "core/store/queries.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/storedcalibration.h"
#include "tests/app/support/windowfixture.h"
#include "tests/support/built.h"

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <SQLiteCpp/Database.h>

namespace ringside::test {

namespace {

constexpr int kMeasureLimitMs = 180'000; // all cores of a busy machine
const QString kMeasure = QStringLiteral("Measure…"), kAgain = QStringLiteral("Measure again…");

Result<void> describeAlder()
{
    Site site;
    site.name = site.host = "alder";
    return SiteBook::ofUser().and_then([&](const SiteBook& book) { return book.save(site); });
}

struct CalibrationFixture : WindowFixture
{
    using WindowFixture::WindowFixture;

    void keep(const std::string& site, const Calibration& found)
    {
        auto db = store::Database::openForWriting(store());
        QVERIFY(db.has_value());
        const auto kept = addCalibration(*db, site, found);
        QVERIFY2(kept.has_value(), kept ? "" : kept.error().text().c_str());
    }

    void import(const char* log, const std::vector<std::string>& answers)
    {
        auto db = store::Database::openForWriting(store());
        imports::PreviewRequest request{.paths = {sourceFolder() / "tests/logs/links" / log}};
        for (const std::string& answer : answers)
            QVERIFY(addAnswer(request.answers, answer).has_value());
        auto previews = imports::previewLogs(request, adapters::usersLogFormats());
        QVERIFY(db && previews);
        const auto stored = imports::storeImport(*db, {"links", std::move(*previews)});
        QVERIFY2(stored.has_value(), stored ? "" : stored.error().text().c_str());
    }

    void open(const QString& site, QSize size = {1280, 800})
    {
        show(size);
        QVERIFY(waitFor([&] { return session().access() == Session::Access::writing; }));
        go(PageId::sites, {}, site);
    }

    CalibrationCard& card() { return *window().currentPage()->findChild<CalibrationCard*>(); }
    bool offers(const QString& text)
    {
        return waitFor([&] { return buttonOf(card(), text) != nullptr; });
    }

    /// To be seen as far as the page's scroll area shows it.
    void scrollTo()
    {
        for (QWidget* parent = card().parentWidget(); parent; parent = parent->parentWidget())
            if (auto* area = qobject_cast<QScrollArea*>(parent))
                area->ensureWidgetVisible(&card());
        settle();
    }

    void measure(const QString& button)
    {
        QVERIFY(offers(button));
        buttonOf(card(), button)->click();
        QVERIFY(waitFor([&] { return openDialog(window()) != nullptr; }));
        QVERIFY(says(*openDialog(window()), QStringLiteral("on 1 node, once it has begun")));
        buttonOf(*openDialog(window()), QStringLiteral("Measure"))->click();
        QVERIFY(waitFor([&] { return !openDialog(window()); }));
    }
};

fs::path realWorker()
{
    const fs::path worker = builtProgram("ringside-worker");
    return fs::exists(worker) ? worker : fs::path();
}

} // namespace

class CalibrationsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatIsStoredIsShown_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<QSize>("size");
        for (const bool dark : {false, true})
            for (const QSize size : {QSize(1100, 700), QSize(1280, 900)})
                QTest::addRow("%d %s", size.width(), dark ? "dark" : "light") << dark << size;
    }

    void whatIsStoredIsShown()
    {
        QFETCH(bool, dark);
        QFETCH(QSize, size);
        CalibrationFixture fixture(dark ? Appearance::dark : Appearance::light);
        fixture.keep("alder", calibrationOfTwoNodes());
        QVERIFY(describeAlder());
        fixture.open(QStringLiteral("alder"), size);
        QVERIFY(fixture.offers(kAgain));
        QVERIFY(says(fixture.card(), QStringLiteral("181 GFLOP/s, lowest 174 GFLOP/s")));
        QVERIFY(says(fixture.card(), QStringLiteral("412 pictures/s")));
        QVERIFY(says(fixture.card(), QStringLiteral("Between nodes")));
        const auto* view = fixture.card().findChild<FigureView*>();
        QCOMPARE(view->figure().as<report::Points>()->panels.at(0).series.size(), std::size_t(3));
        QVERIFY(!view->figure().as<report::Points>()->y.log2);
        fixture.scrollTo();
        const QString picture = QStringLiteral("sites-calibration-%1-%2")
                                    .arg(size.width())
                                    .arg(dark ? QStringLiteral("dark") : QStringLiteral("light"));
        QCOMPARE(lookAt(fixture.window(), picture), QStringList());
        auto* measure = fixture.card().findChild<SegmentedControl*>();
        QTest::keyClick(measure, Qt::Key_Right);
        QVERIFY(view->figure().as<report::Points>()->y.log2);
        QCOMPARE(lookAt(fixture.window(), picture + QStringLiteral("-time")), QStringList());
    }

    void whatWasImportedIsOfferedBehindOwnOnesAndDrawnBeside()
    {
        CalibrationFixture fixture;
        fixture.keep("alder", calibrationOfTwoNodes());
        fixture.import("nccl-tests.named.log", {"site=alder"});
        QVERIFY(describeAlder());
        fixture.open(QStringLiteral("alder"), {1100, 700});
        QVERIFY(fixture.offers(kAgain));
        auto* shapes = fixture.card().findChild<QComboBox*>();
        QVERIFY(shapes);
        QCOMPARE(shapes->count(), 2);
        QCOMPARE(shapes->currentIndex(), 0); // its own
        QVERIFY(shapes->itemText(1).contains(QStringLiteral("imported, nccl-tests: all-reduce, 4 ranks on 2 nodes")));
        const auto* view = fixture.card().findChild<FigureView*>();
        const auto series = [&] { return view->figure().as<report::Points>()->panels.at(0).series; };
        QCOMPARE(series().size(), std::size_t(4));
        QVERIFY(series().back().name.find("imported: nccl-tests") != std::string::npos);
        fixture.scrollTo();
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-calibration-imported")), QStringList());
        shapes->setCurrentIndex(1);
        Q_EMIT shapes->activated(1);
        QVERIFY(waitFor([&] { return says(fixture.card(), QStringLiteral("no plan uses it")); }));
        QCOMPARE(series().size(), std::size_t(1));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-calibration-imported-alone")).join(QLatin1Char(10)),
                 QString());
    }

    void whatWasMeasuredLastIsShownAndElseWhatWasChosen()
    {
        CalibrationFixture fixture;
        fixture.keep("alder", calibrationOfTwoNodes());
        fixture.keep("alder", calibrationOfGpus());
        QVERIFY(describeAlder());
        auto writer = store::Database::openForWriting(fixture.store());
        QVERIFY(writer.has_value());
        fixture.show();
        QVERIFY(waitFor([&] { return fixture.session().access() == Session::Access::reading; }));
        fixture.go(PageId::sites, {}, QStringLiteral("alder"));
        auto* shapes = fixture.card().findChild<QComboBox*>();
        QVERIFY(waitFor([&] { return shapes->count() == 2; }));
        const QString older = shapes->itemText(1);
        shapes->setCurrentIndex(1);
        Q_EMIT shapes->activated(1);
        const auto news = [&] {
            auto runs = store::runs(*writer, {}).value();
            fixture.session().live().runsChanged(runs);
            settle();
        };
        news();
        QCOMPARE(shapes->currentText(), older);
        shapes->setCurrentIndex(0);
        writer->handle().exec("UPDATE attempts SET ended_ns = ended_ns + 1000000000000 "
                              "WHERE id = (SELECT min(id) FROM attempts)"); // as if it had been measured again
        news();
        QCOMPARE(shapes->itemText(0), older);
        QCOMPARE(shapes->currentText(), older);
        shapes->setCurrentIndex(1);
        writer->handle().exec("UPDATE attempts SET ended_ns = ended_ns + 2000000000000 "
                              "WHERE id = (SELECT max(id) FROM attempts)");
        news();
        QVERIFY(shapes->currentIndex() == 0 && shapes->itemText(1) == older);
    }

    void whatCannotBeReadIsNoSiteThatWasNeverMeasured()
    {
        CalibrationFixture fixture;
        fixture.keep("alder", calibrationOfTwoNodes());
        QVERIFY(describeAlder());
        auto writer = store::Database::openForWriting(fixture.store());
        QVERIFY(writer.has_value());
        fixture.show();
        QVERIFY(waitFor([&] { return fixture.session().access() == Session::Access::reading; }));
        fixture.go(PageId::sites);
        writer->handle().exec("ALTER TABLE attempts RENAME TO gone");
        QSignalSpy failed(&fixture.card(), &CalibrationCard::failed);
        fixture.go(PageId::sites, {}, QStringLiteral("alder"));
        QVERIFY(waitFor([&] { return !failed.empty(); }));
        settle();
        QVERIFY(!says(fixture.card(), QStringLiteral("Not measured yet")));
    }

    void gpusAreToldFromCores()
    {
        CalibrationFixture fixture;
        fixture.keep("alder", calibrationOfGpus());
        QVERIFY(describeAlder());
        fixture.open(QStringLiteral("alder"));
        QVERIFY(fixture.offers(kAgain));
        for (const char* text : {"612 GFLOP/s, lowest 610 GFLOP/s", "GPU, TF32", "401 TFLOP/s, lowest 398 TFLOP/s",
                                 "GPU memory", "To the GPU", "From the GPU"})
            QVERIFY2(says(fixture.card(), QString::fromLatin1(text)), text);
        const auto* view = fixture.card().findChild<FigureView*>();
        QCOMPARE(view->figure().as<report::Points>()->panels.at(0).series.at(0).name,
                 std::string("inside a node, GPU memory"));
        fixture.scrollTo();
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-calibration-gpu")), QStringList());
        fixture.session().live().siteChanged({"alder", SiteStatus::Contact::connected, 0, {}});
        QVERIFY(waitFor([&] { return buttonOf(fixture.card(), kAgain)->isEnabled(); }));
        buttonOf(fixture.card(), kAgain)->click();
        QVERIFY(waitFor([&] { return openDialog(fixture.window()) != nullptr; }));
        auto& dialog = *openDialog(fixture.window());
        const auto* device = shown<QComboBox>(
            dialog, [](const QComboBox& box) { return box.accessibleName() == QStringLiteral("Device"); });
        QVERIFY(device);
        QVERIFY(device->currentText().contains(QStringLiteral("NCCL"))); // as it was measured before
        QCOMPARE(lookAt(dialog, QStringLiteral("calibrate-gpu")), QStringList());
        dialog.reject();
    }

    void aSiteWithoutContactSaysWhyItCannotBeMeasured()
    {
        CalibrationFixture fixture;
        QVERIFY(describeAlder());
        fixture.open(QStringLiteral("alder"));
        QVERIFY(fixture.offers(kMeasure));
        QVERIFY(says(fixture.card(), QStringLiteral("Not measured yet")));
        QVERIFY(!buttonOf(fixture.card(), kMeasure)->isEnabled());
        QVERIFY(buttonOf(fixture.card(), kMeasure)->toolTip().contains(QStringLiteral("not connected")));
        fixture.session().live().siteChanged({"alder", SiteStatus::Contact::connected, 0, {}});
        QVERIFY(waitFor([&] { return buttonOf(fixture.card(), kMeasure)->isEnabled(); }));
        QVERIFY(buttonOf(fixture.card(), kMeasure)->toolTip().isEmpty());
    }

    void theDialogSaysTheCostOfMoreNodes()
    {
        CalibrationFixture fixture;
        fixture.keep("alder", calibrationOfTwoNodes());
        QVERIFY(describeAlder());
        fixture.open(QStringLiteral("alder"));
        fixture.session().live().siteChanged({"alder", SiteStatus::Contact::connected, 0, {}});
        QVERIFY(fixture.offers(kAgain));
        QVERIFY(waitFor([&] { return buttonOf(fixture.card(), kAgain)->isEnabled(); }));
        buttonOf(fixture.card(), kAgain)->click();
        QVERIFY(waitFor([&] { return openDialog(fixture.window()) != nullptr; }));
        auto& dialog = *openDialog(fixture.window());
        QVERIFY(says(dialog, QStringLiteral("on 2 nodes")));
        auto* nodes = shown<QSpinBox>(
            dialog, [](const QSpinBox& spin) { return spin.accessibleName() == QStringLiteral("Nodes"); });
        QVERIFY(nodes);
        nodes->stepUp();
        QVERIFY(says(dialog, QStringLiteral("on 3 nodes")));
        QCOMPARE(lookAt(dialog, QStringLiteral("calibrate")), QStringList());
        dialog.reject();
    }

    void thisComputerIsMeasuredStoppedAndMeasured()
    {
        if (realWorker().empty())
            QSKIP("ringside-worker is not part of this build");
        CalibrationFixture fixture(Appearance::light, realWorker());
        fixture.open({});
        fixture.measure(kMeasure);
        QVERIFY(waitFor([&] { return says(fixture.card(), QStringLiteral("Measuring: step")); }, kMeasureLimitMs));
        fixture.scrollTo();
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-measuring")), QStringList());
        buttonOf(fixture.card(), QStringLiteral("Stop"))->click();
        QVERIFY(waitFor([&] { return buttonOf(fixture.card(), kMeasure) != nullptr; }, kMeasureLimitMs));
        QVERIFY(waitFor([&] { return says(fixture.card(), QStringLiteral("Not measured yet")); }));

        fixture.measure(kMeasure);
        QVERIFY(waitFor([&] { return buttonOf(fixture.card(), kAgain) != nullptr; }, kMeasureLimitMs));
        QVERIFY(waitFor([&] { return says(fixture.card(), QStringLiteral("GFLOP/s")); }));
        const auto db = store::Database::openForReading(fixture.store());
        QVERIFY(db.has_value());
        QCOMPARE(store::runs(*db).value().size(), std::size_t(1)); // what was stopped was done again
        fixture.scrollTo();
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("sites-measured")), QStringList());
    }

    void aMeasurementThatFailsIsTold()
    {
        CalibrationFixture fixture(Appearance::light, "/nowhere/ringside-worker");
        fixture.open({});
        fixture.measure(kMeasure);
        const auto told = [&] {
            return shown<MessageBar>(fixture.window(), [](const MessageBar& bar) { return !bar.text().isEmpty(); });
        };
        QVERIFY(waitFor([&] { return told() != nullptr; }, kMeasureLimitMs));
        QVERIFY2(told()->text().contains(QStringLiteral("worker")), qPrintable(told()->text()));
        QVERIFY(waitFor([&] { return buttonOf(fixture.card(), kMeasure) != nullptr; }));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::CalibrationsTest)
#include "test_calibrations.moc"
