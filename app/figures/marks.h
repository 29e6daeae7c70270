// SPDX-License-Identifier: GPL-3.0-or-later
// The looks of a series, a phase, an interval and a base case (UX 5.3, 5.4), on screen and on paper alike. Everything
// is drawn in painter units with one path per line and without clipping, which SVG files do not preserve. GUI-free: any
// thread that owns the painter.
#pragma once

#include "core/base/hatch.h"
#include "core/protocol/phase.h"
#include "core/report/figuredata.h"

#include <QColor>
#include <QList>
#include <QPainter>
#include <QPolygonF>

namespace ringside::figures {

/// Colours that are not a series'. Screen charts fill it from their theme.
struct Palette
{
    QColor base;  ///< what the chart lies on
    QColor text;  ///< numbers and names
    QColor text2; ///< ticks, notes, the base case
    QColor grid;
    QColor axis;
    QColor warning; ///< "n = 4"
    bool dark = false;
};

/// Black on white; the axis is text, since paper has no hairline gray.
const Palette& paperPalette();

struct Look
{
    Palette palette;
    double unit = 1; ///< painter units per pixel of UX 5.4: 1 on screen
};

enum class Marker
{
    circle,
    square,
    triangleUp,
    diamond,
    triangleDown,
    plus,
    cross,
    none
};

/// Colour, marker, dash and hatch always go together.
struct SeriesMark
{
    QColor colour;
    Marker marker = Marker::circle;
    QList<qreal> dashes; ///< in pen widths; empty: solid
    Hatch hatch = Hatch::none;
    bool outlined = false; ///< too light for white: markers get an outline in Text
    double width = 2;      ///< of the line, px
};

inline constexpr int kSeriesMarks = report::kSeriesColours;

/// `style` as in report::Series; beyond the seventh gray and without a marker, since colours never repeat. Neutral, a
/// base case or what collapsed: in no series' colour, with a marker and a hatch in any case.
SeriesMark seriesMark(int style, bool neutral, const Palette& palette);

struct PhaseMark
{
    QColor fill;
    Hatch hatch = Hatch::none;
    QColor hatchColour;
    QColor text; ///< of a number on it
};
/// The same in both themes.
PhaseMark phaseMark(PhasePart part);

inline constexpr double kMarkerSize = 9.5; ///< px

void drawLine(QPainter& painter, const QPolygonF& points, const SeriesMark& mark, const Look& look);
/// Filled with an outline in Base, or open: the colour's outline around Base. Nothing where the mark has no marker.
void drawMarker(QPainter& painter, QPointF at, const SeriesMark& mark, bool open, const Look& look);
/// A piece of line with its marker, as in a key; neutral: the marker alone.
void drawSample(QPainter& painter, const QRectF& sample, const SeriesMark& mark, bool neutral, const Look& look);
/// The runs' own values as small dots.
void drawSingles(QPainter& painter, const QPolygonF& points, const SeriesMark& mark, const Look& look);
/// I-beam between two points on one vertical or horizontal line.
void drawInterval(QPainter& painter, QPointF low, QPointF high, const QColor& colour, const Look& look);
void drawBar(QPainter& painter, const QRectF& bar, const SeriesMark& mark, bool open, const Look& look);
void drawBaseRing(QPainter& painter, QPointF at, const Look& look);
void drawIdeal(QPainter& painter, const QPolygonF& points, const Look& look);
void drawPhase(QPainter& painter, const QRectF& box, PhasePart part, const Look& look);
void drawHiddenCommunication(QPainter& painter, const QRectF& box, const Look& look);
/// Lines or dots inside `box`, cut at its edges.
void drawHatch(QPainter& painter, const QRectF& box, Hatch hatch, const QColor& colour, const Look& look);

} // namespace ringside::figures
