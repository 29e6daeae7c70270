// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/figureview.h"

#include "app/charts/chartview.h"
#include "app/figures/figurerenderer.h"
#include "app/style/fonts.h"
#include "app/widgets/text.h"

#include <QPainter>

namespace ringside {

namespace {

/// The smallest text of a figure (8 pt) is as big as a chart's labels on screen.
double pixelsPerPoint(const QFont& font) { return sized(font, kCaptionSize).pixelSize() / figures::kLeastTextPt; }

constexpr double kPointsPerMm = 72 / 25.4;

} // namespace

FigureView::FigureView(ThemeController& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setFocusPolicy(Qt::StrongFocus);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&theme, &ThemeController::themeChanged, this, qOverload<>(&QWidget::update));
}

void FigureView::show(report::FigureData figure)
{
    m_figure = std::move(figure);
    setAccessibleName(toQt(m_figure.title));
    setAccessibleDescription(toQt(m_figure.spoken));
    updateGeometry();
    update();
}

double FigureView::millimetres(double pixels) const { return pixels / pixelsPerPoint(font()) / kPointsPerMm; }

QSize FigureView::sizeHint() const { return {640, heightForWidth(640)}; }

int FigureView::heightForWidth(int width) const
{
    figures::PaperOptions options;
    options.size = {millimetres(width), 0};
    const figures::FigureRenderer renderer(m_figure, options);
    return qRound(renderer.size().heightMm * kPointsPerMm * pixelsPerPoint(font()));
}

void FigureView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    figures::PaperOptions options;
    options.size = {millimetres(width()), millimetres(height())};
    options.family = font().family();
    options.screen = figures::ScreenLook{markPalette(m_theme.theme()), 1 / pixelsPerPoint(font())};
    figures::FigureRenderer(m_figure, options).paint(painter, rect());
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.theme().accent, 2));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
    }
}

void FigureView::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void FigureView::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

} // namespace ringside
