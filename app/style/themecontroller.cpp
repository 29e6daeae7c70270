// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/themecontroller.h"

#include "app/style/icons.h"
#include "app/style/stylesheet.h"

#include <QApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QStyle>

namespace ringside {

namespace {

/// Asks for its colour when it is drawn, so a change of theme needs no new icons.
class InkedIcon : public QIconEngine
{
public:
    InkedIcon(const ThemeController& controller, QString name, Ink ink)
        : m_controller(controller)
        , m_name(std::move(name))
        , m_ink(ink)
    {
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        const int size = qMin(rect.width(), rect.height());
        drawIcon(*painter, rect, m_name, size, m_controller.ink(inkFor(mode, state)));
    }

    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override
    {
        const int logical = qRound(qMin(size.width(), size.height()) / scale);
        return iconPixmap(m_name, logical, m_controller.ink(inkFor(mode, state)), scale);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        return scaledPixmap(size, mode, state, 1.0);
    }

    QIconEngine* clone() const override { return new InkedIcon(*this); }

private:
    Ink inkFor(QIcon::Mode mode, QIcon::State state) const
    {
        if (mode == QIcon::Disabled)
            return Ink::disabled;
        return state == QIcon::On ? Ink::accent : m_ink;
    }

    const ThemeController& m_controller;
    QString m_name;
    Ink m_ink;
};

bool isDark(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

} // namespace

ThemeController::ThemeController()
    : m_desktopFont(QApplication::font())
    , m_systemIsDark(isDark(QApplication::palette()))
{
    QApplication::setStyle(QStringLiteral("Fusion"));
    connect(&m_portal, &Portal::schemeChanged, this, [this](Portal::Scheme scheme) {
        if (scheme == Portal::Scheme::noPreference)
            return;
        m_systemIsDark = scheme == Portal::Scheme::dark;
        if (chosen() != m_theme)
            refresh();
    });
}

void ThemeController::apply(Appearance appearance, FontChoice font, double textScale)
{
    m_appearance = appearance;
    m_font = font;
    m_textScale = textScale;
    refresh();
    if (appearance == Appearance::system && !std::exchange(m_portalStarted, true))
        m_portal.start();
}

QIcon ThemeController::icon(const QString& name, Ink ink) const
{
    return QIcon(new InkedIcon(*this, name, ink));
}

const Theme* ThemeController::chosen() const
{
    const bool dark = m_appearance == Appearance::dark || (m_appearance == Appearance::system && m_systemIsDark);
    return dark ? &Theme::night() : &Theme::day();
}

void ThemeController::refresh()
{
    m_theme = chosen();
    QApplication::setFont(textFont(m_font, m_desktopFont, m_textScale));
    QApplication::setPalette(m_theme->palette());
    qApp->setStyleSheet(styleSheet(*m_theme, m_textScale));
    Q_EMIT themeChanged();
}

} // namespace ringside
