// SPDX-License-Identifier: MIT
// Light and dark as the desktop says, over a real session bus with a portal of our own on it. Runs below
// dbus-run-session.
#include "tests/app/support/looks.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QTest>

namespace ringside::test {

namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kGroup = QStringLiteral("org.freedesktop.appearance");
const QString kKey = QStringLiteral("color-scheme");
constexpr uint kDark = 1, kLight = 2;

} // namespace

/// Answers like a desktop, on a connection of its own.
class DesktopPortal : public QObject
{
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.portal.Settings")

public:
    explicit DesktopPortal(uint scheme)
        : m_bus(QDBusConnection::connectToBus(QDBusConnection::SessionBus, QStringLiteral("portal")))
        , m_scheme(scheme)
    {
    }
    ~DesktopPortal() override { QDBusConnection::disconnectFromBus(QStringLiteral("portal")); }

    bool start()
    {
        return m_bus.registerObject(kPath, this, QDBusConnection::ExportAllSlots) && m_bus.registerService(kService);
    }

    bool change(const QString& group, uint scheme)
    {
        m_scheme = scheme;
        auto signal = QDBusMessage::createSignal(kPath, kInterface, QStringLiteral("SettingChanged"));
        signal << group << kKey << QVariant::fromValue(QDBusVariant(scheme));
        return m_bus.send(signal);
    }

public Q_SLOTS:
    QDBusVariant Read(const QString&, const QString&) // the portal wraps the number twice
    {
        return QDBusVariant(QVariant::fromValue(QDBusVariant(m_scheme)));
    }

private:
    QDBusConnection m_bus;
    uint m_scheme;
};

class PortalTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!QDBusConnection::sessionBus().isConnected())
            QSKIP("there is no session bus: run it by dbus-run-session");
    }

    void theWholeWindowFollowsTheDesktop()
    {
        DesktopPortal desktop(kDark);
        QVERIFY(desktop.start());
        WindowFixture fixture(Appearance::system);
        QVERIFY(waitFor([&] { return fixture.theme().theme().dark; }));
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::compare, QString::fromLatin1(kMeasuredExperiment), QStringLiteral("speedup"));
        QVERIFY(isIn(fixture, Theme::night()));
        QVERIFY(desktop.change(kGroup, kLight));
        QVERIFY(waitFor([&] { return !fixture.theme().theme().dark; }));
        settle();
        QVERIFY(isIn(fixture, Theme::day()));
        QVERIFY(desktop.change(QStringLiteral("org.gnome.desktop.interface"), kDark)); // another key of the same name
        settle();
        QVERIFY(!fixture.theme().theme().dark);
        QVERIFY(desktop.change(kGroup, kDark));
        QVERIFY(waitFor([&] { return fixture.theme().theme().dark; }));
        settle();
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("state-followed-desktop")));
        QVERIFY(isIn(fixture, Theme::night()));
    }

    void aChosenThemeDoesNotFollow()
    {
        DesktopPortal desktop(kDark);
        QVERIFY(desktop.start());
        WindowFixture fixture(Appearance::light);
        fixture.show();
        QVERIFY(desktop.change(kGroup, kDark));
        settle();
        QVERIFY(!fixture.theme().theme().dark);
    }

private:
    /// True if most of the window has the theme's own grounds: no page, card or chart stayed behind.
    static bool isIn(WindowFixture& fixture, const Theme& theme)
    {
        const QImage picture = fixture.window().grab().toImage();
        int ours = 0, all = 0;
        for (int y = 0; y < picture.height(); y += 4)
            for (int x = 0; x < picture.width(); x += 4, ++all) {
                const QColor colour = picture.pixelColor(x, y);
                ours += colour == theme.window || colour == theme.base || colour == theme.rail;
            }
        return ours > all * 8 / 10;
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::PortalTest)
#include "test_portal.moc"
