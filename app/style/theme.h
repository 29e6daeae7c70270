// SPDX-License-Identifier: GPL-3.0-or-later
// Every colour of the window, named once: the style sheet, the palette, delegates and charts read the same values.
// Contrast of each is stated in UX.md, sections 4 and 5.
#pragma once

#include <QColor>
#include <QString>
#include <array>

class QPalette;

namespace ringside {

/// The colour of a text, an icon or a mark, by its purpose.
enum class Ink
{
    text,
    text2,
    accent,
    onHighlight,
    disabled,
    queued,
    running,
    done,
    failed,
    cancelled,
    requeued,
    unknown,
    warning,
};

struct Theme
{
    QString name; ///< "light" or "dark"
    bool dark = false;
    QColor window, rail, base, button, alternate, toolTip;
    QColor text, text2, disabled;
    QColor mid, midlight, grid; ///< control border; divider; chart grid
    QColor highlight, onHighlight, accent, hover, selection;
    QColor queued, running, done, failed, cancelled, requeued, unknown, warning;
    std::array<QColor, 7> series; ///< Okabe–Ito in the order of UX.md 5.3
    std::array<QColor, 6> heat;   ///< sequential scale, low to high
    double tintShare = 0.12;      ///< share of a state's colour in the ground of its chip

    static const Theme& day();
    static const Theme& night();

    QColor ink(Ink ink) const;
    /// The ground of a chip or a message in this colour: opaque, `tintShare` of it over base.
    QColor tint(const QColor& colour) const;
    QPalette palette() const;
};

/// `share` of `over` on `under`, opaque.
QColor mixed(const QColor& over, const QColor& under, double share);

} // namespace ringside
