// SPDX-License-Identifier: MIT
// The window as a user finds it: what it shows first, without a mouse, its dialogs, and what stands in its way.
#include "app/shell/actions.h"
#include "app/widgets/navrail.h"
#include "app/widgets/text.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/windowfixture.h"

#include <QApplication>
#include <QDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTest>

namespace ringside::test {

namespace {

QString why(const QString& where, const QStringList& found)
{
    return where + QStringLiteral(":\n") + found.join(QLatin1Char('\n'));
}

} // namespace

class WindowTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void firstStartShowsWelcomeWithTheExampleInFocus()
    {
        WindowFixture fixture;
        fixture.show();
        QCOMPARE(fixture.window().currentPage()->windowName(), QStringLiteral("Welcome"));
        QVERIFY(waitFor([] { return qobject_cast<QPushButton*>(QApplication::focusWidget()) != nullptr; }));
        QCOMPARE(qobject_cast<QPushButton*>(QApplication::focusWidget())->text(), QStringLiteral("Run the example"));
        QCOMPARE(fixture.window().windowTitle(), QStringLiteral("Welcome[*] – Ringside"));
    }

    void withExperimentsShowsTheList()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        QCOMPARE(fixture.window().currentPage()->windowName(), QStringLiteral("Experiments"));
        const auto* table = fixture.window().currentPage()->findChild<QTableView*>();
        QVERIFY(waitFor([&] { return table->model()->rowCount() == 4; }));
    }

    void keysMoveBetweenPagesAndParts()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        auto& window = fixture.window();
        QTest::keyClick(&window, Qt::Key_Comma, Qt::ControlModifier);
        QCOMPARE(window.currentPage()->windowName(), QStringLiteral("Settings"));
        QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
        QCOMPARE(window.currentPage()->windowName(), QStringLiteral("Experiments"));
        QSet<QWidget*> stops;
        for (int i = 0; i < 5; ++i) {
            QTest::keyClick(&window, Qt::Key_F6);
            QVERIFY(QApplication::focusWidget());
            stops << QApplication::focusWidget();
        }
        QVERIFY2(stops.size() >= 4, "rail, header, content, status bar");
    }

    void typingFiltersAndEscClears()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        auto* table = fixture.window().currentPage()->findChild<QTableView*>();
        QVERIFY(waitFor([&] { return table->model()->rowCount() == 4; }));
        table->setFocus();
        QTest::keyClicks(table, QStringLiteral("s"));
        auto* filter = fixture.window().currentPage()->findChild<QLineEdit*>();
        QTest::keyClicks(filter, QStringLiteral("caling"));
        QCOMPARE(filter->text(), QStringLiteral("scaling"));
        QCOMPARE(table->model()->rowCount(), 1);
        QTest::keyClick(filter, Qt::Key_Escape);
        QCOMPARE(table->model()->rowCount(), 4);
    }

    void spaceStarsAndDeleteAsksWithArchiveAsDefault()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        auto& window = fixture.window();
        auto* table = window.currentPage()->findChild<QTableView*>();
        QVERIFY(waitFor(
            [&] { return table->model()->rowCount() == 4 && fixture.session().access() == Session::Access::writing; }));
        table->selectRow(0);
        QTest::keyClick(table, Qt::Key_Delete);
        QVERIFY(waitFor([&] { return openDialog(window); }));
        QVERIFY(saveScreenshot(*openDialog(window), QStringLiteral("delete-dialog")));
        QTest::keyClick(openDialog(window), Qt::Key_Return);
        QVERIFY(waitFor([&] { return table->model()->rowCount() == 3; }));
    }

    void everyActionIsInAMenuAndShortcutsAreUnique()
    {
        WindowFixture fixture;
        fixture.show();
        QSet<QAction*> inMenus;
        for (const auto* menu : fixture.window().findChildren<QMenu*>())
            for (auto* action : menu->actions())
                inMenus << action;
        QSet<QKeySequence> keys;
        for (const auto id : fixture.window().actions().all()) {
            auto* action = fixture.window().actions()[id];
            QVERIFY2(inMenus.contains(action) || id == ActionId::runExample, qPrintable(action->text()));
            if (action->shortcut().isEmpty())
                continue;
            QVERIFY2(!keys.contains(action->shortcut()), qPrintable(action->text()));
            keys << action->shortcut();
        }
    }

    void dialogsOpenWithoutBlocking_data()
    {
        QTest::addColumn<int>("action");
        QTest::newRow("shortcuts") << int(ActionId::shortcuts);
        QTest::newRow("about") << int(ActionId::about);
        QTest::newRow("diagnostics") << int(ActionId::diagnostics);
        QTest::newRow("how-measured") << int(ActionId::howMeasured);
    }

    void dialogsOpenWithoutBlocking()
    {
        QFETCH(int, action);
        WindowFixture fixture;
        fixture.show();
        fixture.window().actions()[ActionId(action)]->trigger();
        auto* dialog = openDialog(fixture.window());
        QVERIFY(dialog);
        QTest::qWait(50);
        QVERIFY(saveScreenshot(*dialog, QStringLiteral("dialog-%1").arg(QString::fromLatin1(QTest::currentDataTag()))));
        const auto clipped = clippedTexts(*dialog);
        QVERIFY2(clipped.isEmpty(), qPrintable(why(dialog->windowTitle(), clipped)));
        QTest::keyClick(dialog, Qt::Key_Escape);
        QVERIFY(waitFor([&] { return !openDialog(fixture.window()); }));
    }

    void anotherWriterMakesItReadOnly()
    {
        WindowFixture fixture;
        fixture.fillStore();
        Session other({});
        other.open(fixture.store());
        QVERIFY(waitFor([&] { return other.access() == Session::Access::writing; }));
        fixture.show();
        const auto bars = fixture.window().currentPage()->findChildren<MessageBar*>();
        QVERIFY(waitFor([&] {
            return std::any_of(bars.begin(), bars.end(), [](const MessageBar* bar) {
                return bar->isVisible() && bar->text().contains(QStringLiteral("process"));
            });
        }));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("read-only")));
        QVERIFY(!fixture.window().actions()[ActionId::archive]->isEnabled());
    }

    void aForeignDatabaseOffersAnotherFolder()
    {
        WindowFixture fixture;
        QVERIFY(writeFileAtomically(fixture.store(), std::string(4096, 'x')));
        fixture.show();
        const auto bars = fixture.window().currentPage()->findChildren<MessageBar*>();
        QVERIFY(std::any_of(bars.begin(), bars.end(),
                            [](const MessageBar* bar) { return bar->isVisible() && !bar->text().isEmpty(); }));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("foreign-database")));
    }

    void switchesToDarkWhileRunning()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.theme().apply(Appearance::dark, FontChoice::ringside, 1.0);
        const QImage picture = fixture.window().grab().toImage();
        QCOMPARE(picture.pixelColor(picture.width() / 2, picture.height() - 3), Theme::night().rail);
    }

    void largeTextFits()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.theme().apply(Appearance::light, FontChoice::ringside, 1.3);
        fixture.show({1280, 800});
        for (const auto id : {PageId::welcome, PageId::experiments, PageId::settings}) {
            fixture.go(id);
            const auto clipped = clippedTexts(fixture.window());
            QVERIFY2(clipped.isEmpty(), qPrintable(why(QStringLiteral("130 %"), clipped)));
        }
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("settings-130")));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::WindowTest)
#include "test_window.moc"
