// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/theme.h"

#include <QPalette>

namespace ringside {

namespace {

QColor rgb(QRgb value)
{
    return QColor::fromRgb(value);
}

constexpr QColor Theme::*kInks[] = {&Theme::text,     &Theme::text2,     &Theme::accent,   &Theme::onHighlight,
                                    &Theme::disabled, &Theme::queued,    &Theme::running,  &Theme::done,
                                    &Theme::failed,   &Theme::cancelled, &Theme::requeued, &Theme::unknown,
                                    &Theme::warning};
static_assert(std::size(kInks) == std::size_t(Ink::warning) + 1);

Theme makeDay()
{
    Theme t;
    t.name = QStringLiteral("light");
    t.window = rgb(0xF4F5F7), t.rail = rgb(0xECEEF2), t.base = rgb(0xFFFFFF), t.button = rgb(0xFFFFFF);
    t.alternate = rgb(0xF8F9FB), t.toolTip = rgb(0xFFFFFF);
    t.text = rgb(0x1B1F24), t.text2 = rgb(0x57606A), t.disabled = rgb(0x8A929B);
    t.mid = rgb(0x868E98), t.midlight = rgb(0xD5DAE0), t.grid = rgb(0xE4E7EB);
    t.highlight = rgb(0x3A55C9), t.onHighlight = rgb(0xFFFFFF), t.accent = rgb(0x3A55C9);
    t.hover = rgb(0xEDEFF3), t.selection = rgb(0xE7EBF9);
    t.queued = rgb(0x5B6570), t.running = rgb(0x0B63B8), t.done = rgb(0x1B7A3A), t.failed = rgb(0xC22A2A);
    t.cancelled = rgb(0x6B6456), t.requeued = rgb(0x0A7482), t.unknown = rgb(0x7A4BB0);
    t.warning = rgb(0x8F5A00);
    t.series = {rgb(0x0072B2), rgb(0xD55E00), rgb(0x009E73), rgb(0xCC79A7),
                rgb(0xE69F00), rgb(0x56B4E9), rgb(0x000000)};
    t.heat = {rgb(0xF2F4F7), rgb(0xC9DFF0), rgb(0x8FBFE0), rgb(0x4A90C4), rgb(0x1E5F99), rgb(0x0B2F57)};
    return t;
}

Theme makeNight()
{
    Theme t;
    t.name = QStringLiteral("dark"), t.dark = true, t.tintShare = 0.20;
    t.window = rgb(0x16181D), t.rail = rgb(0x121418), t.base = rgb(0x1D2026), t.button = rgb(0x2A2E36);
    t.alternate = rgb(0x21252C), t.toolTip = rgb(0x2A2E36);
    t.text = rgb(0xE8EAED), t.text2 = rgb(0xA2ABB6), t.disabled = rgb(0x6C7580);
    t.mid = rgb(0x6E7782), t.midlight = rgb(0x333941), t.grid = rgb(0x2C3138);
    t.highlight = rgb(0x4D66D9), t.onHighlight = rgb(0xFFFFFF), t.accent = rgb(0x93A7FF);
    t.hover = rgb(0x272B33), t.selection = rgb(0x2E3550);
    t.queued = rgb(0xA9B2BD), t.running = rgb(0x63B3F5), t.done = rgb(0x5CC587), t.failed = rgb(0xFF8A80);
    t.cancelled = rgb(0xB9B09E), t.requeued = rgb(0x5CC6D3), t.unknown = rgb(0xC6A2F2);
    t.warning = rgb(0xF0B34A);
    t.series = {rgb(0x4AA3DF), rgb(0xF07F3C), rgb(0x2DBE94), rgb(0xDF9CC3),
                rgb(0xF0B43C), rgb(0x9AD4F5), rgb(0xE8EAED)};
    t.heat = {rgb(0x21262E), rgb(0x0B2F57), rgb(0x1E5F99), rgb(0x4A90C4), rgb(0x8FBFE0), rgb(0xF2F4F7)};
    return t;
}

} // namespace

const Theme& Theme::day()
{
    static const Theme theme = makeDay();
    return theme;
}

const Theme& Theme::night()
{
    static const Theme theme = makeNight();
    return theme;
}

QColor Theme::ink(Ink ink) const
{
    return this->*kInks[std::size_t(ink)];
}

QColor Theme::tint(const QColor& colour) const
{
    return mixed(colour, base, tintShare);
}

QPalette Theme::palette() const
{
    QPalette p;
    const auto set = [&p](QPalette::ColorRole role, const QColor& colour) { p.setColor(role, colour); };
    set(QPalette::Window, window), set(QPalette::Base, base), set(QPalette::Button, button);
    set(QPalette::AlternateBase, alternate), set(QPalette::ToolTipBase, toolTip), set(QPalette::ToolTipText, text);
    set(QPalette::WindowText, text), set(QPalette::Text, text), set(QPalette::ButtonText, text);
    set(QPalette::BrightText, onHighlight), set(QPalette::PlaceholderText, text2);
    set(QPalette::Mid, mid), set(QPalette::Dark, mid), set(QPalette::Shadow, mid);
    set(QPalette::Midlight, midlight), set(QPalette::Light, midlight);
    set(QPalette::Highlight, highlight), set(QPalette::HighlightedText, onHighlight);
    set(QPalette::Link, accent), set(QPalette::LinkVisited, accent);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, disabled);
    return p;
}

QColor mixed(const QColor& over, const QColor& under, double share)
{
    const auto mix = [share](int a, int b) { return qRound(a * share + b * (1 - share)); };
    return {mix(over.red(), under.red()), mix(over.green(), under.green()), mix(over.blue(), under.blue())};
}

} // namespace ringside
