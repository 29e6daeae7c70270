// SPDX-License-Identifier: MIT
// Texts in the window about runs that are counted in images, in sequences, and in both.
#include "app/charts/figureview.h"
#include "app/charts/throughputchart.h"
#include "app/pages/monitor/runmodel.h"
#include "core/report/figure.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"

#include <QAbstractItemModel>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QtCharts/QValueAxis>

namespace ringside::test {

namespace {

const QString kMeasured = QString::fromLatin1(kMeasuredExperiment);
const QString kRefusal = QStringLiteral("count images and sequences: images/s and sequences/s are not compared.");

/// A window on one experiment that is done, with these models.
struct ItemsFixture : WindowFixture
{
    explicit ItemsFixture(const std::vector<std::string>& models)
    {
        auto db = store::Database::openForWriting(store());
        QVERIFY2(db.has_value(), db ? "" : db.error().text().c_str());
        const auto added = addMeasuredExperiment(*db, folder() / "ringside", models);
        QVERIFY2(added.has_value(), added ? "" : added.error().text().c_str());
        db = tl::unexpected(Error{}); // the window writes, too
        show();
    }

    /// The figure of Compare, once it is of this kind; without panels where none came.
    report::FigureData figure(const char* show)
    {
        go(PageId::compare, kMeasured, QString::fromLatin1(show));
        auto* view = window().currentPage()->findChild<FigureView*>();
        const auto isDrawn = [&] { return view->isVisible() && view->figure().kind == show; };
        return waitFor(isDrawn) ? view->figure() : report::FigureData{};
    }

    /// The column heads of all tables of the page, each in one line.
    QStringList heads()
    {
        QStringList heads;
        for (const auto* table : window().currentPage()->findChildren<QTableView*>())
            for (int column = 0; table->model() && column < table->model()->columnCount(); ++column)
                heads << table->model()->headerData(column, Qt::Horizontal).toString().replace(u'\n', u' ');
        return heads;
    }

    /// Monitor, with a run that is done.
    ThroughputChart& monitor()
    {
        go(PageId::monitor, kMeasured);
        window().go({.page = PageId::monitor,
                     .experiment = kMeasured,
                     .run = measuredRunAs(store(), RunState::done).id,
                     .show = {},
                     .toml = {}});
        return *window().currentPage()->findChild<ThroughputChart*>();
    }

    QLineEdit* batch(const char* name)
    {
        return shown<QLineEdit>(
            window(), [&](const QLineEdit& field) { return field.accessibleName() == QString::fromLatin1(name); });
    }
};

QString titleOfY(const ThroughputChart& chart)
{
    return chart.chart()->axes(Qt::Vertical).constFirst()->titleText();
}

} // namespace

class ItemsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sequencesAreComparedAsSuch()
    {
        ItemsFixture fixture({"lstm", "gpt2"});
        const report::FigureData throughput = fixture.figure("throughput");
        QCOMPARE(throughput.as<report::Points>()->y.title, std::string("Throughput (sequences/s)"));
        QVERIFY(throughput.caption.find("(8 sequences per rank)") != std::string::npos);
        QVERIFY2(fixture.heads().contains(QStringLiteral("sequences/s")), qPrintable(fixture.heads().join(u'|')));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("items-sequences")));
    }

    void theBaseCaseIsInItsOwnUnit()
    {
        ItemsFixture fixture({"gpt2"});
        QVERIFY(!fixture.figure("speedup").isEmpty());
        const auto* base = shown<QComboBox>(fixture.window(), [](const QComboBox& combo) {
            return combo.accessibleName() == QStringLiteral("Base case");
        });
        QVERIFY(base);
        QVERIFY2(base->currentText().startsWith(QStringLiteral("1 CPU rank · ")) &&
                     base->currentText().endsWith(QStringLiteral(" sequences/s · n = 6")),
                 qPrintable(base->currentText()));
    }

    void throughputOfBothKindsIsRefusedAndNothingElse()
    {
        ItemsFixture fixture({"alexnet", "gpt2"});
        for (const char* show : {"efficiency", "phases", "timeline", "speedup"})
            QVERIFY2(!fixture.figure(show).isEmpty(), show);
        QVERIFY2(fixture.heads().contains(QStringLiteral("items/s")), qPrintable(fixture.heads().join(u'|')));
        fixture.go(PageId::compare, kMeasured, QStringLiteral("throughput"));
        QVERIFY(waitFor([&] { return says(fixture.window(), kRefusal); }));
        QVERIFY(!fixture.window().currentPage()->findChild<FigureView*>()->isVisible());
        QVERIFY(!says(fixture.window(), QStringLiteral("base case"))); // none would help
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("items-refused")));
    }

    void monitorCountsWhatTheRunIsTrainedWith()
    {
        ItemsFixture fixture({"gpt2"});
        ThroughputChart& chart = fixture.monitor();
        QVERIFY(waitFor(
            [&] { return says(fixture.window(), QStringLiteral(" GFLOP per sequence, forward and backward · ")); }));
        QVERIFY2(titleOfY(chart).contains(QStringLiteral("sequences/s")), qPrintable(titleOfY(chart)));
        QVERIFY2(chart.accessibleDescription().endsWith(QStringLiteral(" sequences/s since warm-up.")),
                 qPrintable(chart.accessibleDescription()));
        QVERIFY2(fixture.heads().contains(QStringLiteral("seq./s")), qPrintable(fixture.heads().join(u'|')));
        const auto* runs = fixture.window().currentPage()->findChild<QTableView*>();
        QVERIFY(!runs->isColumnHidden(RunModel::kRanks)); // its head takes no room from others
        QCOMPARE(runs->model()->headerData(RunModel::kRate, Qt::Horizontal, Qt::ToolTipRole).toString(),
                 QStringLiteral("sequences/s"));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("items-monitor")));
    }

    void theListOfRunsOfBothKindsCountsItems()
    {
        ItemsFixture fixture({"alexnet", "gpt2"});
        fixture.monitor();
        QVERIFY(waitFor([&] { return fixture.heads().contains(QStringLiteral("items/s")); }));
    }

    void theEditorAsksForABatchOfWhatIsTrainedWith()
    {
        for (const auto& [models, batch, rate] :
             {std::tuple(std::vector<std::string>{"gpt2", "lstm"}, "Batch, sequences", "sequences/s so far"),
              std::tuple(std::vector<std::string>{"alexnet", "gpt2"}, "Batch, images or sequences", "items/s so far"),
              std::tuple(std::vector<std::string>{"alexnet"}, "Batch, images", "images/s so far")}) {
            ItemsFixture fixture(models);
            fixture.go(PageId::editor, kMeasured);
            QVERIFY2(waitFor([&, name = batch] { return fixture.batch(name) != nullptr; }), batch);
            QVERIFY2(waitFor([&, head = rate] { return fixture.heads().contains(QString::fromLatin1(head)); }), rate);
            QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("items-editor-%1").arg(models.size())));
        }
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::ItemsTest)
#include "test_items.moc"
