// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/canvas.h"

#include <QFontDatabase>
#include <QPainterPath>
#include <algorithm>

namespace ringside::figures {
namespace {

/// Marks on paper are about half as big as on screen: a line of 2 px becomes 1.05 pt.
constexpr double kPointsPerPixel = 0.525;

QFont fontFor(const PaperOptions& options, QFont::Weight weight)
{
    QFont font(options.family.isEmpty() ? paperFamily() : options.family);
    font.setPixelSize(qRound(std::max(options.textPt, kLeastTextPt) * kUnitsPerPoint));
    font.setWeight(weight);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

Look lookFor(const PaperOptions& options)
{
    if (options.screen)
        return {options.screen->palette, pt(options.screen->pointsPerPixel)};
    return {paperPalette(), pt(kPointsPerPixel)};
}

} // namespace

QString paperFamily()
{
    const QStringList installed = QFontDatabase::families();
    for (const char* name : {"Liberation Sans", "Arimo", "Nimbus Sans", "Roboto", "DejaVu Sans"})
        if (const QString family = QString::fromLatin1(name); installed.contains(family))
            return family;
    return QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
}

Type::Type(const PaperOptions& options)
    : m_font(fontFor(options, QFont::Normal))
    , m_boldFont(fontFor(options, QFont::Bold))
    , m_normal(m_font)
    , m_bold(m_boldFont)
{
}

double Type::width(const QString& text, Weight weight) const
{
    return (weight == Weight::bold ? m_bold : m_normal).horizontalAdvance(text);
}

QStringList Type::wrapped(const QString& text, double limit) const
{
    QStringList lines;
    for (const QString& word : text.split(u' ', Qt::SkipEmptyParts)) {
        const QString longer = lines.isEmpty() ? word : lines.back() + u' ' + word;
        if (lines.isEmpty() || width(longer) > limit)
            lines << word;
        else
            lines.back() = longer;
    }
    return lines;
}

Canvas::Canvas(QPainter& painter, const Type& type, const PaperOptions& options, std::vector<PlacedRuns>* placed)
    : m_painter(painter)
    , m_type(type)
    , m_look(lookFor(options))
    , m_outlines(options.outlines)
    , m_placed(placed)
{
}

void Canvas::place(const QRectF& box, const std::vector<RunId>& runs) const
{
    if (m_placed)
        m_placed->push_back({m_painter.transform().mapRect(box), runs});
}

void Canvas::place(const QRectF& box, const report::Bar& bar) const
{
    if (m_placed)
        m_placed->push_back({m_painter.transform().mapRect(box), {}, bar});
}

void Canvas::text(QPointF at, Qt::AlignmentFlag align, const QString& text, const QColor& colour, Weight weight) const
{
    const double width = m_type.width(text, weight);
    const double shift = align == Qt::AlignLeft ? 0 : align == Qt::AlignRight ? width : width / 2;
    draw(at - QPointF(shift, 0), text, colour, weight);
}

void Canvas::turnedText(QPointF at, double degrees, const QString& text, const QColor& colour) const
{
    m_painter.save();
    m_painter.translate(at);
    m_painter.rotate(degrees);
    this->text({}, Qt::AlignHCenter, text, colour);
    m_painter.restore();
}

void Canvas::draw(QPointF at, const QString& text, const QColor& colour, Weight weight) const
{
    if (m_outlines) {
        QPainterPath path;
        path.addText(at, m_type.font(weight), text);
        m_painter.fillPath(path, colour);
        return;
    }
    m_painter.setFont(m_type.font(weight));
    m_painter.setPen(colour);
    m_painter.drawText(at, text);
}

} // namespace ringside::figures
