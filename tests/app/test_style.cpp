// SPDX-License-Identifier: MIT
#include "app/style/icons.h"
#include "app/style/resources.h"
#include "app/style/stylesheet.h"
#include "app/style/themecontroller.h"

#include <QApplication>
#include <QDir>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

namespace ringside {

namespace {

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& c)
{
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

/// WCAG 2 contrast ratio.
double contrast(const QColor& a, const QColor& b)
{
    const double first = luminance(a), second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

} // namespace

class StyleTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { initRingsideResources(); }

    void textsHaveContrast_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }

    void textsHaveContrast()
    {
        QFETCH(bool, dark);
        const Theme& t = dark ? Theme::night() : Theme::day();
        for (const auto& ground : {t.window, t.base, t.selection})
            for (const auto& text : {t.text, t.text2})
                QVERIFY2(contrast(text, ground) >= 4.5,
                         qPrintable(text.name() + QStringLiteral(" on ") + ground.name()));
        for (const auto ink : {Ink::queued, Ink::running, Ink::done, Ink::failed, Ink::cancelled, Ink::requeued,
                               Ink::unknown, Ink::warning})
            QVERIFY2(contrast(t.ink(ink), t.tint(t.ink(ink))) >= 4.5, qPrintable(t.ink(ink).name()));
        QVERIFY(contrast(t.accent, t.base) >= 4.5);
        QVERIFY(contrast(t.onHighlight, t.highlight) >= 4.5);
        QVERIFY(contrast(t.mid, t.base) >= 3.0);
    }

    void sheetHasNoUnknownNames()
    {
        for (const Theme* theme : {&Theme::day(), &Theme::night()}) {
            const QString sheet = styleSheet(*theme, 1.0);
            QVERIFY(sheet.contains(theme->accent.name()));
            QVERIFY2(!sheet.contains(QStringLiteral("#FF00FF")), "a name in theme.qss that Theme does not know");
            QVERIFY(!sheet.contains(QLatin1Char('@')));
        }
    }

    void sheetScalesFonts()
    {
        QCOMPARE(filledSheet(QStringLiteral("a { font-size: 20px; width: 20px; }"), Theme::day(), 1.3),
                 QStringLiteral("a { font-size:26px; width: 20px; }"));
    }

    void everyIconIsDrawnInItsColour()
    {
        const auto files = QDir(QStringLiteral(":/icons")).entryList({QStringLiteral("*.svg")});
        QVERIFY(files.size() >= 45);
        for (const auto& file : files) {
            const QImage image = iconPixmap(file.chopped(4), 24, Qt::red, 2.0).toImage();
            QCOMPARE(image.width(), 48);
            int inked = 0;
            for (int y = 0; y < 48; ++y)
                for (int x = 0; x < 48; ++x)
                    inked += image.pixelColor(x, y).alpha() > 200 && image.pixelColor(x, y).red() > 200;
            QVERIFY2(inked > 10, qPrintable(file));
        }
    }

    void switchesWhileRunning()
    {
        ThemeController controller;
        controller.apply(Appearance::light, FontChoice::ringside, 1.0);
        const QIcon icon = controller.icon(QStringLiteral("tick"));
        const QImage before = icon.pixmap(24, 24).toImage();
        QSignalSpy changed(&controller, &ThemeController::themeChanged);
        controller.apply(Appearance::dark, FontChoice::ringside, 1.2);
        QCOMPARE(changed.size(), 1);
        QVERIFY(controller.theme().dark);
        QCOMPARE(QApplication::palette().color(QPalette::Window), Theme::night().window);
        QCOMPARE(QApplication::font().pixelSize(), 16);
        QVERIFY(icon.pixmap(24, 24).toImage() != before);
    }

    void digitsAreEquallyWide()
    {
        ThemeController controller;
        controller.apply(Appearance::light, FontChoice::ringside, 1.0);
        const QFontMetricsF metrics(QApplication::font());
        for (char digit = '1'; digit <= '9'; ++digit)
            QCOMPARE(metrics.horizontalAdvance(QLatin1Char(digit)), metrics.horizontalAdvance(QLatin1Char('0')));
    }
};

} // namespace ringside

QTEST_MAIN(ringside::StyleTest)
#include "test_style.moc"
