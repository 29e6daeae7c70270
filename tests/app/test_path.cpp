// SPDX-License-Identifier: MIT
// The whole way in the window: open a file, launch it, watch it end, compare, export. With the worker without torch.
#include "app/charts/throughputchart.h"
#include "app/shell/actions.h"
#include "app/widgets/segmentedcontrol.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/paints.h"
#include "tests/app/support/windowfixture.h"
#include "tests/support/built.h"
#include "tests/support/lenetexperiment.h"

#include <QDialog>
#include <QDir>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QtCharts/QLineSeries>

namespace ringside::test {

namespace {

std::string quickExperiment()
{
    return lenetExperiment("quick", "ranks = [1, 2]", 5, 12, "[base]\nranks = 1\n");
}

constexpr int kRunLimitMs = 120'000;

QPushButton* primaryButton(QWidget& root)
{
    return shown<QPushButton>(
        root, [](const QPushButton& button) { return button.property("primary").toBool() && button.isEnabled(); });
}

MessageBar* endMessage(MainWindow& window)
{
    return shown<MessageBar>(
        window, [](const MessageBar& bar) { return bar.text().contains(QStringLiteral("12 of 12 runs done")); });
}

int paintsWithin(ChartView& chart, int milliseconds)
{
    const Paints paints(*chart.viewport());
    QTest::qWait(milliseconds);
    return paints.count();
}

} // namespace

class PathTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!fs::exists(builtProgram("ringside-agent")))
            QSKIP("ringside-agent is not part of this build");
    }

    void theExampleRunsByKeyboard()
    {
        WindowFixture fixture;
        fixture.show();
        auto& window = fixture.window();
        QVERIFY(waitFor([&] { return fixture.session().access() == Session::Access::writing; }));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Backtab);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        const auto ended = [&] {
            return shown<MessageBar>(window, [](const MessageBar& bar) {
                return bar.text().contains(QStringLiteral("36 of 36 runs done"));
            });
        };
        QVERIFY(waitFor([&] { return window.windowTitle().startsWith(QStringLiteral("(")); }, kRunLimitMs));
        QVERIFY(waitFor([&] { return ended() != nullptr; }, kRunLimitMs));
        auto* show = shown<QPushButton>(*ended(), [](const QPushButton&) { return true; });
        show->setFocus();
        QTest::keyClick(show, Qt::Key_Return);
        QVERIFY(waitFor([&] { return window.actions()[ActionId::exportFigure]->isEnabled(); }));
        QVERIFY(saveScreenshot(window, QStringLiteral("example-speed-up")));
    }

    void fromFileToFigure()
    {
        WindowFixture fixture;
        const auto file = fixture.folder() / "quick.toml";
        QVERIFY(writeFileAtomically(file, quickExperiment()));
        fixture.show();
        auto& window = fixture.window();
        QVERIFY(waitFor([&] { return fixture.session().access() == Session::Access::writing; }));
        open(window, file);
        launchWithOneMoreRepeat(window);
        watch(window);
        QVERIFY(endMessage(window));

        auto* show = shown<QPushButton>(*endMessage(window), [](const QPushButton&) { return true; });
        QCOMPARE(show->text(), QStringLiteral("Show the speed-up"));
        show->click();
        QVERIFY(waitFor([&] { return window.actions()[ActionId::exportFigure]->isEnabled(); }));
        lookAtAllKinds(window);
        exportTo(window, fixture.folder() / "figures");
        fixture.go(PageId::editor, QStringLiteral("quick"));
        const auto* launch = window.actions()[ActionId::launch];
        QVERIFY(waitFor([&] { return launch->statusTip().contains(QStringLiteral("No run is missing")); }));
        QVERIFY(!launch->isEnabled());
    }

private:
    void open(MainWindow& window, const fs::path& file)
    {
        auto* launch = window.actions()[ActionId::launch];
        bool launchedBlind = false;
        const auto look = [&] { launchedBlind |= launch->isEnabled() && !launch->text().contains(QChar(u'0')); };
        const QObject whileItOpens;
        connect(launch, &QAction::changed, &whileItOpens, look);
        window.openFile(QString::fromStdString(file.native()));
        QVERIFY(waitFor([&] {
            return window.currentPage()->windowName().contains(QStringLiteral("quick")) && launch->isEnabled();
        }));
        QVERIFY2(!launchedBlind, "Launch is enabled before there is a matrix");
        QVERIFY(saveScreenshot(window, QStringLiteral("path-1-editor")));
    }

    void launchWithOneMoreRepeat(MainWindow& window)
    {
        auto* repeats = shown<QSpinBox>(
            window, [](const QSpinBox& spin) { return spin.accessibleName() == QStringLiteral("Repeats"); });
        QVERIFY(repeats);
        repeats->stepUp();
        window.actions()[ActionId::launch]->trigger(); // at once: the matrix of the changed form is not there yet
        QVERIFY(waitFor([&] { return openDialog(window) != nullptr; }));
        QVERIFY(saveScreenshot(*openDialog(window), QStringLiteral("path-2-launch")));
        QVERIFY(!openDialog(window)->findChild<QPlainTextEdit*>()->toPlainText().isEmpty());
        QPushButton* start = primaryButton(*openDialog(window));
        QVERIFY(start);
        QCOMPARE(start->text(), QStringLiteral("Launch 12 runs"));
        start->click();
    }

    /// Until all runs have ended.
    void watch(MainWindow& window)
    {
        QVERIFY(waitFor([&] { return window.windowTitle().startsWith(QStringLiteral("(")); }, kRunLimitMs));
        ThroughputChart* chart = nullptr; // once there are samples
        const auto isDrawn = [&] {
            chart = shown<ThroughputChart>(window, [](const ThroughputChart&) { return true; });
            return chart != nullptr;
        };
        QVERIFY(waitFor(isDrawn, kRunLimitMs));
        settle();
        QVERIFY(saveScreenshot(window, QStringLiteral("path-3-monitor")));
        int frames = 0;
        const auto counting = connect(qobject_cast<QXYSeries*>(chart->chart()->series().back()),
                                      &QXYSeries::pointsReplaced, this, [&frames] { ++frames; });
        QElapsedTimer time;
        time.start();
        QTest::qWait(1000);
        disconnect(counting);
        QVERIFY2(frames <= time.elapsed() / 100 + 1, qPrintable(QString::number(frames)));
        QVERIFY(waitFor([&] { return endMessage(window) != nullptr; }, kRunLimitMs));
        settle();
        QVERIFY(saveScreenshot(window, QStringLiteral("path-4-end")));
        QVERIFY(waitFor([&] { return paintsWithin(*chart, 1000) == 0; })); // nothing new, nothing drawn
    }

    void lookAtAllKinds(MainWindow& window)
    {
        auto* kinds = window.currentPage()->findChild<SegmentedControl*>();
        QVERIFY(kinds);
        window.activateWindow(); // after the dialog; there is no window manager here
        QVERIFY(QTest::qWaitForWindowActive(&window));
        for (int kind = 0; kind < 4; ++kind) {
            QTest::keyClick(&window, Qt::Key(Qt::Key_1 + kind), Qt::AltModifier);
            settle();
            QCOMPARE(kinds->current(), kind);
            QVERIFY(saveScreenshot(window, QStringLiteral("path-5-compare-%1").arg(kind)));
        }
    }

    void exportTo(MainWindow& window, const fs::path& folder)
    {
        QVERIFY(makePrivateFolder(folder));
        window.actions()[ActionId::exportFigure]->trigger();
        QVERIFY(waitFor([&] { return openDialog(window) != nullptr; }));
        auto& dialog = *openDialog(window);
        auto* field = shown<QLineEdit>(
            dialog, [](const QLineEdit& edit) { return edit.accessibleName() == QStringLiteral("Folder"); });
        QVERIFY(field);
        field->setText(QString::fromStdString(folder.native()));
        settle();
        QVERIFY(saveScreenshot(dialog, QStringLiteral("path-6-export")));
        const auto clipped = clippedTexts(dialog);
        QVERIFY2(clipped.isEmpty(), qPrintable(clipped.join(QLatin1Char('\n'))));
        QVERIFY(primaryButton(dialog));
        primaryButton(dialog)->click();
        const QDir written(QString::fromStdString(folder.native()));
        QVERIFY(waitFor([&] { return written.entryList({QStringLiteral("*.pdf")}, QDir::Files).size() == 1; }));
        QVERIFY(waitFor([&] { return openDialog(window) == nullptr; }));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::PathTest)
#include "test_path.moc"
