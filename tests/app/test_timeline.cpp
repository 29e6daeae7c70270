// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline of Compare, in a window on measured runs.
#include "app/charts/figureview.h"
#include "app/shell/actions.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"

#include <QAbstractItemModel>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QWheelEvent>

namespace ringside::test {

namespace {

constexpr int kRanksColumn = 1; // of the summary: after the plan

const QString kMeasured = QString::fromLatin1(kMeasuredExperiment);

class Sight
{
public:
    explicit Sight(QSize size = {1280, 800})
    {
        m_fixture.fillStore();
        m_fixture.show(size);
        m_fixture.go(PageId::compare, kMeasured, QStringLiteral("timeline"));
    }

    FigureView& view() { return *m_fixture.window().currentPage()->findChild<FigureView*>(); }
    bool isShown()
    {
        return waitFor([&] { return view().figure().kind == "timeline" && view().isVisible(); });
    }
    QComboBox& combo(const char* name)
    {
        return *shown<QComboBox>(m_fixture.window(),
                                 [&](const QComboBox& combo) { return combo.accessibleName() == QLatin1String(name); });
    }
    void turnWheel(int steps, double share)
    {
        const QPointF at(view().width() * share, view().height() / 2.0);
        QWheelEvent event(at, view().mapToGlobal(at), {}, {0, 120 * steps}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&view(), &event);
    }
    QTableView& table() { return *m_fixture.window().currentPage()->findChild<QTableView*>(); }
    QString ranksIn(int row) { return table().model()->index(row, kRanksColumn).data().toString(); }
    QString currentRanks()
    {
        const QModelIndex current = table().currentIndex();
        return current.isValid() ? ranksIn(current.row()) : QString();
    }
    QScrollBar& scrollBar()
    {
        QWidget* viewport = view().parentWidget();
        return *qobject_cast<QScrollArea*>(viewport->parentWidget())->verticalScrollBar();
    }
    report::Span span() { return view().figure().as<report::Lanes>()->shown; }
    MainWindow& window() { return m_fixture.window(); }
    WindowFixture& fixture() { return m_fixture; }

private:
    WindowFixture m_fixture;
};

} // namespace

class TimelineTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aRunAndAnIterationAreChosen()
    {
        Sight sight;
        QVERIFY(sight.isShown());
        const QString last = sight.combo("Run").currentText();
        QVERIFY2(last.startsWith(QStringLiteral("Run ")), qPrintable(last));
        QCOMPARE(sight.combo("Iteration").currentText(), QStringLiteral("50"));
        QCOMPARE(sight.combo("Iteration").count(), 6);
        QCOMPARE(sight.view().figure().as<report::Lanes>()->lanes.size(), std::size_t(4));
        sight.combo("Iteration").setCurrentIndex(1);
        Q_EMIT sight.combo("Iteration").activated(1);
        QVERIFY(waitFor([&] { return sight.view().figure().title.starts_with("Iteration 10 of "); }));
        QCOMPARE(sight.combo("Run").currentText(), last);
    }

    void aRowOfTheTableChoosesARunOfIt()
    {
        Sight sight;
        QVERIFY(sight.isShown());
        QVERIFY(waitFor([&] { return sight.currentRanks() == QStringLiteral("4"); })); // that of the shown run
        const auto* model = sight.table().model();
        int row = 0;
        while (row < model->rowCount() && sight.ranksIn(row) != QStringLiteral("1"))
            ++row;
        sight.table().setCurrentIndex(model->index(row, 0));
        QVERIFY(waitFor([&] { return sight.view().figure().as<report::Lanes>()->lanes.size() == 1; }));
        QVERIFY(sight.combo("Run").currentText().contains(QStringLiteral("1 CPU rank")));
        QVERIFY(waitFor([&] { return sight.currentRanks() == QStringLiteral("1"); }));
    }

    void theWheelZoomsAndKeysMove()
    {
        Sight sight;
        QVERIFY(sight.isShown());
        const report::Span whole = sight.span();
        sight.turnWheel(3, 0.5);
        const report::Span near = sight.span();
        QVERIFY(near.length() < 0.6 * whole.length());
        QVERIFY(near.from > whole.from && near.to < whole.to);
        QTest::keyClick(&sight.view(), Qt::Key_Right);
        QVERIFY(sight.span().from > near.from);
        QCOMPARE(sight.span().length(), near.length());
        QTest::keyClick(&sight.view(), Qt::Key_Plus);
        QVERIFY(sight.span().length() < near.length());
        QVERIFY(saveScreenshot(sight.window(), QStringLiteral("timeline-zoomed")));
        QTest::keyClick(&sight.view(), Qt::Key_Home);
        QVERIFY(sight.span() == whole);
        sight.turnWheel(-5, 0.5);
        QVERIFY(sight.span() == whole);
    }

    void upAndDownScrollWhereRanksHaveNoRoom()
    {
        Sight sight({1100, 700});
        QVERIFY(sight.isShown());
        QScrollBar& bar = sight.scrollBar();
        QVERIFY(waitFor([&] { return bar.maximum() > 0; }));
        const report::Span before = sight.span();
        QTest::keyClick(&sight.view(), Qt::Key_Down);
        QVERIFY(bar.value() > 0);
        QVERIFY(sight.span() == before);
    }

    void itIsExportedAsATraceToo()
    {
        Sight sight;
        QVERIFY(sight.isShown());
        auto* action = sight.window().actions()[ActionId::exportFigure];
        QVERIFY(waitFor([&] { return action->isEnabled(); }));
        action->trigger();
        QVERIFY(waitFor([&] { return openDialog(sight.window()); }));
        const auto boxes = openDialog(sight.window())->findChildren<QCheckBox*>();
        const auto isTrace = [](const QCheckBox* box) { return box->text() == QStringLiteral("trace.json"); };
        QVERIFY(std::any_of(boxes.begin(), boxes.end(), isTrace));
        openDialog(sight.window())->reject();
    }

    void otherKindsHaveTheirChoicesBack()
    {
        Sight sight;
        QVERIFY(sight.isShown());
        sight.fixture().go(PageId::compare, kMeasured, QStringLiteral("throughput"));
        QVERIFY(waitFor([&] { return sight.view().figure().kind == "throughput"; }));
        QVERIFY(sight.combo("x axis").isVisible());
        const auto isRun = [](const QComboBox& combo) { return combo.accessibleName() == QStringLiteral("Run"); };
        QVERIFY(!shown<QComboBox>(sight.window(), isRun));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::TimelineTest)
#include "test_timeline.moc"
