// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/figurerenderer.h"

#include "app/figures/panels.h"

#include <algorithm>
#include <cmath>

namespace ringside::figures {
namespace {

using report::FigureData;

constexpr double kMargin = pt(2); ///< around everything
constexpr double kPanelGap = pt(9);
constexpr double kLeastPanelMm = 55, kLeastPlotMm = 20; ///< narrower panels, and plots, are put below each other
constexpr double kLeastWidthMm = 30, kLeastHeightMm = 25;

/// The places of everything on a sheet of a given width.
struct Sheet
{
    std::unique_ptr<PanelPainter> painter;
    std::vector<QString> titles; ///< of each panel
    std::vector<KeyEntry> key;
    double keyHeight = 0;
    int columns = 1, rows = 1;
    double panelWidth = 0;
    PanelFrame frame;
};

/// Fewer where texts beside the plots would leave them too little.
void setColumns(Sheet& sheet, int columns, const Type& type, double inner)
{
    sheet.columns = columns;
    sheet.panelWidth = (inner - (columns - 1) * kPanelGap) / columns;
    sheet.frame = sheet.painter->frame(type, sheet.panelWidth);
    if (columns > 1 && sheet.panelWidth - sheet.frame.left - sheet.frame.right < kLeastPlotMm * kUnitsPerMm)
        setColumns(sheet, columns - 1, type, inner);
}

Sheet sheetFor(const FigureData& figure, const Type& type, double width)
{
    Sheet sheet;
    sheet.painter = std::visit([](const auto& drawing) { return painterOf(drawing); }, figure.drawing);
    sheet.titles = sheet.painter->titles();
    const double inner = width - 2 * kMargin;
    sheet.key = sheet.painter->keyEntries();
    for (KeyEntry& remark : remarkEntries(qtext(figure.differs), type, inner))
        sheet.key.push_back(std::move(remark));
    sheet.keyHeight = keyHeight(sheet.key, type, inner);
    const int panels = std::max(1, static_cast<int>(sheet.titles.size()));
    setColumns(sheet, std::clamp(static_cast<int>(inner / (kLeastPanelMm * kUnitsPerMm)), 1, panels), type, inner);
    sheet.rows = (panels + sheet.columns - 1) / sheet.columns;
    return sheet;
}

double neededHeight(const FigureData& figure, const Type& type, double width)
{
    const Sheet sheet = sheetFor(figure, type, width);
    const double panel = sheet.frame.top + sheet.painter->plotHeight() + sheet.frame.bottom;
    return 2 * kMargin + sheet.keyHeight + sheet.rows * panel + (sheet.rows - 1) * kPanelGap / 2;
}

QRectF panelBox(const Sheet& sheet, const QRectF& area, std::size_t index)
{
    const auto column = static_cast<int>(index) % sheet.columns, row = static_cast<int>(index) / sheet.columns;
    const double height = (area.height() - (sheet.rows - 1) * kPanelGap / 2) / sheet.rows;
    return {area.left() + column * (sheet.panelWidth + kPanelGap), area.top() + row * (height + kPanelGap / 2),
            sheet.panelWidth, height};
}

void drawPanel(const Canvas& canvas, const Sheet& sheet, std::size_t panel, const QRectF& box)
{
    const QRectF plot = sheet.frame.plotArea(box);
    if (sheet.titles.size() > 1)
        canvas.text({plot.left(), box.top() + canvas.type().capHeight() * 1.2}, Qt::AlignLeft, sheet.titles[panel],
                    canvas.look().palette.text, Weight::bold);
    sheet.painter->draw(canvas, panel, plot, sheet.frame);
}

void drawEmpty(const Canvas& canvas, const FigureData& figure, const QRectF& area)
{
    const QString text = figure.notes.empty() ? qtext(figure.title) : qtext(figure.notes.front());
    canvas.text(area.center(), Qt::AlignHCenter, text, canvas.look().palette.text2);
}

void drawFigure(const Canvas& canvas, const FigureData& figure, QSizeF size)
{
    const Sheet sheet = sheetFor(figure, canvas.type(), size.width());
    const QRectF inner = QRectF(QPointF(), size).adjusted(kMargin, kMargin, -kMargin, -kMargin);
    if (figure.isEmpty())
        return drawEmpty(canvas, figure, inner);
    drawKey(canvas, sheet.key, inner);
    const QRectF area = inner.adjusted(0, sheet.keyHeight, 0, 0);
    for (std::size_t panel = 0; panel < sheet.titles.size(); ++panel)
        drawPanel(canvas, sheet, panel, panelBox(sheet, area, panel));
}

} // namespace

FigureRenderer::FigureRenderer(FigureData figure, PaperOptions options)
    : m_figure(std::move(figure))
    , m_options(std::move(options))
{
    PaperSize& size = m_options.size;
    size.widthMm = std::max(size.widthMm, kLeastWidthMm);
    if (size.heightMm <= 0)
        size.heightMm = std::ceil(neededHeight(m_figure, Type(m_options), size.widthMm * kUnitsPerMm) / kUnitsPerMm);
    size.heightMm = std::max(size.heightMm, kLeastHeightMm);
}

void FigureRenderer::paint(QPainter& painter, const QRectF& target, std::vector<PlacedRuns>* placed) const
{
    const QSizeF units(m_options.size.widthMm * kUnitsPerMm, m_options.size.heightMm * kUnitsPerMm);
    const Type type(m_options);
    painter.save();
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.translate(target.topLeft());
    painter.scale(target.width() / units.width(), target.height() / units.height());
    if (!m_options.screen)
        painter.fillRect(QRectF(QPointF(), units), paperPalette().base);
    drawFigure(Canvas(painter, type, m_options, placed), m_figure, units);
    painter.restore();
}

QRectF FigureRenderer::plotArea(const QRectF& target) const
{
    const QSizeF units(m_options.size.widthMm * kUnitsPerMm, m_options.size.heightMm * kUnitsPerMm);
    const Type type(m_options);
    const Sheet sheet = sheetFor(m_figure, type, units.width());
    const QRectF inner = QRectF(QPointF(), units).adjusted(kMargin, kMargin + sheet.keyHeight, -kMargin, -kMargin);
    const QRectF plot = sheet.frame.plotArea(panelBox(sheet, inner, 0));
    const double sx = target.width() / units.width(), sy = target.height() / units.height();
    return {target.left() + plot.left() * sx, target.top() + plot.top() * sy, plot.width() * sx, plot.height() * sy};
}

} // namespace ringside::figures
