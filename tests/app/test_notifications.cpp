// SPDX-License-Identifier: MIT
// The end of an experiment on the desktop: announced where it was ticked at the launch, and only there.
#include "app/shell/actions.h"
#include "app/text/text.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/windowfixture.h"
#include "tests/support/lenetexperiment.h"

#include <QCheckBox>
#include <QDBusConnection>
#include <QDialog>
#include <QPushButton>
#include <QTest>

namespace ringside::test {

namespace {

constexpr int kRunLimitMs = 120'000;

const QString kTell = QStringLiteral("Tell me when it ends");

} // namespace

/// A desktop's service of notifications, on a connection of its own.
class Desktop : public QObject
{
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")

public:
    Desktop()
        : m_bus(QDBusConnection::connectToBus(QDBusConnection::SessionBus, QStringLiteral("desktop")))
    {
    }
    ~Desktop() override { QDBusConnection::disconnectFromBus(QStringLiteral("desktop")); }

    bool start()
    {
        return m_bus.registerObject(QStringLiteral("/org/freedesktop/Notifications"), this,
                                    QDBusConnection::ExportAllSlots) &&
               m_bus.registerService(QStringLiteral("org.freedesktop.Notifications"));
    }

    /// Number of notifications about the end of this experiment.
    qsizetype countOf(const QString& experiment) const
    {
        return m_bodies.filter(QStringLiteral("%1: ").arg(experiment)).size();
    }

public Q_SLOTS:
    uint Notify(const QString&, uint, const QString&, const QString&, const QString& body, const QStringList&,
                const QVariantMap&, int)
    {
        m_bodies << body;
        return uint(m_bodies.size());
    }

private:
    QDBusConnection m_bus;
    QStringList m_bodies;
};

class NotificationsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!QDBusConnection::sessionBus().isConnected())
            QSKIP("there is no session bus: run it by dbus-run-session");
    }

    void theEndIsToldAsItWasTickedAtTheLaunch()
    {
        Desktop desktop;
        QVERIFY(desktop.start());
        WindowFixture fixture;
        fixture.show();
        QVERIFY(!fixture.preferences().desktopNotifications());
        launch(fixture, QStringLiteral("told"), false);
        fixture.preferences().setDesktopNotifications(true);
        launch(fixture, QStringLiteral("silent"), true);
        QCOMPARE(desktop.countOf(QStringLiteral("told")), 1);
        QCOMPARE(desktop.countOf(QStringLiteral("silent")), 0);
    }

    void aLaunchWithoutAnotherWishFollowsTheSettings()
    {
        WindowFixture fixture;
        Preferences& preferences = fixture.preferences();
        const QString name = QStringLiteral("plans");
        preferences.setAnnouncesEndOf(name, preferences.desktopNotifications());
        QVERIFY(!preferences.announcesEndOf(name));
        preferences.setDesktopNotifications(true);
        QVERIFY(preferences.announcesEndOf(name));
        preferences.setAnnouncesEndOf(name, false);
        QVERIFY(!preferences.announcesEndOf(name));
        QVERIFY(preferences.announcesEndOf(QStringLiteral("another")));
    }

private:
    /// Launches it with the tick other than it came, and waits until it has ended behind another window.
    static void launch(WindowFixture& fixture, const QString& name, bool ticked)
    {
        fixture.window().activateWindow();
        fixture.window().go({.page = PageId::editor, .toml = toQt(lenetExperiment(toUtf8(name), "ranks = [1]", 2, 8))});
        auto* launch = fixture.window().actions()[ActionId::launch];
        QVERIFY(waitFor([&] { return launch->isEnabled(); }));
        launch->trigger();
        QVERIFY(waitFor([&] { return openDialog(fixture.window()); }));
        QDialog* dialog = openDialog(fixture.window());
        auto* tick = shown<QCheckBox>(*dialog, [](const QCheckBox& box) { return box.text() == kTell; });
        QVERIFY(tick);
        QCOMPARE(tick->isChecked(), ticked); // as in Settings
        QTest::mouseClick(tick, Qt::LeftButton, {}, {8, tick->height() / 2});
        QCOMPARE(tick->isChecked(), !ticked);
        QCOMPARE(lookAt(*dialog, QStringLiteral("launch-tell")), QStringList());
        buttonOf(*dialog, QStringLiteral("Launch 2 runs"))->click();
        QVERIFY(waitFor([&] { return !openDialog(fixture.window()); }));

        QWidget other;
        other.show();
        other.activateWindow();
        QVERIFY(waitFor([&] { return !fixture.window().isActiveWindow(); }));
        const auto ended = [&] {
            return shown<MessageBar>(*fixture.window().currentPage(), [&](const MessageBar& bar) {
                return bar.text().startsWith(QStringLiteral("%1: ").arg(name));
            });
        };
        QVERIFY(waitFor(ended, kRunLimitMs));
        settle();
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::NotificationsTest)
#include "test_notifications.moc"
