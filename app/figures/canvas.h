// SPDX-License-Identifier: GPL-3.0-or-later
// The sheet that the parts of a figure draw on: a painter in twentieths of a point, one font, measured text.
#pragma once

#include "app/figures/marks.h"
#include "app/figures/paper.h"
#include "core/base/ids.h"
#include "core/report/figuredata.h"

#include <QFont>
#include <QFontMetricsF>
#include <QRectF>
#include <vector>

namespace ringside::figures {

/// Painter units per point. Fonts then have whole pixel sizes of 160 and more, so that widths are exact.
inline constexpr double kUnitsPerPoint = 20;
inline constexpr double kUnitsPerMm = 72 / 25.4 * kUnitsPerPoint;

enum class Weight
{
    normal,
    bold
};

/// Fonts and measures, without a painter: enough for working out a layout.
class Type
{
public:
    explicit Type(const PaperOptions& options);

    double width(const QString& text, Weight weight = Weight::normal) const;
    double lineHeight() const { return m_normal.height(); }
    /// Height of capitals and digits.
    double capHeight() const { return m_normal.capHeight(); }
    const QFont& font(Weight weight) const { return weight == Weight::bold ? m_boldFont : m_font; }
    /// `text` in lines of at most `width`, broken at spaces.
    QStringList wrapped(const QString& text, double width) const;

private:
    QFont m_font, m_boldFont;
    QFontMetricsF m_normal, m_bold;
};

/// Place where runs were drawn, in the coordinates of the painter's device.
struct PlacedRuns
{
    QRectF box;
    std::vector<RunId> runs;
    std::optional<report::Bar> bar = {}; ///< of a timeline, in place of runs
};

class Canvas
{
public:
    /// `placed`, if given, receives every point, bar and stack.
    Canvas(QPainter& painter, const Type& type, const PaperOptions& options, std::vector<PlacedRuns>* placed = nullptr);

    QPainter& painter() const { return m_painter; }
    const Type& type() const { return m_type; }
    const Look& look() const { return m_look; }

    /// `at` is on the base line, at the left end, middle or right end of the text.
    void text(QPointF at, Qt::AlignmentFlag align, const QString& text, const QColor& colour,
              Weight weight = Weight::normal) const;
    /// Turned clockwise; `at` is the middle of the base line. -90 reads upwards.
    void turnedText(QPointF at, double degrees, const QString& text, const QColor& colour) const;

    void place(const QRectF& box, const std::vector<RunId>& runs) const;
    void place(const QRectF& box, const report::Bar& bar) const;

private:
    void draw(QPointF at, const QString& text, const QColor& colour, Weight weight) const;

    QPainter& m_painter;
    const Type& m_type;
    Look m_look;
    bool m_outlines;
    std::vector<PlacedRuns>* m_placed;
};

inline constexpr double pt(double points)
{
    return points * kUnitsPerPoint;
}

inline QString qtext(const std::string& text)
{
    return QString::fromStdString(text);
}

} // namespace ringside::figures
