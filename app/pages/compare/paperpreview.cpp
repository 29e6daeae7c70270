// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/compare/paperpreview.h"

#include "app/figures/figurerenderer.h"
#include "app/style/fonts.h"

#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace ringside {

namespace {

constexpr double kRulerHeight = 28; // px

/// How a colour looks without the M cone: the projection of Viénot, Brettel, Mollon (Color Research and Application 24,
/// 1999), in linear RGB.
QRgb deutan(QRgb pixel)
{
    const auto linear = [](int channel) { return std::pow(channel / 255.0, 2.2); };
    const auto channel = [](double value) { return qRound(255 * std::pow(std::clamp(value, 0.0, 1.0), 1 / 2.2)); };
    const double red = linear(qRed(pixel)), green = linear(qGreen(pixel)), blue = linear(qBlue(pixel));
    const double mixed = 0.29275 * red + 0.70725 * green;
    return qRgb(channel(mixed), channel(mixed), channel(-0.02234 * red + 0.02234 * green + blue));
}

QImage seenAs(QImage image, PaperPreview::Seen seen)
{
    if (seen == PaperPreview::Seen::gray)
        return image.convertToFormat(QImage::Format_Grayscale8);
    if (seen == PaperPreview::Seen::deutan)
        for (int y = 0; y < image.height(); ++y) {
            auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
            std::transform(line, line + image.width(), line, deutan);
        }
    return image;
}

} // namespace

PaperPreview::PaperPreview(ThemeController& theme, report::FigureData figure, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_figure(std::move(figure))
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Preview"));
    setAccessibleDescription(QString::fromStdString(m_figure.spoken));
}

void PaperPreview::setPaper(const figures::PaperOptions& options)
{
    m_options = options;
    update();
}

void PaperPreview::setSeen(Seen seen)
{
    m_seen = seen;
    update();
}

figures::PaperSize PaperPreview::size() const
{
    return figures::FigureRenderer(m_figure, m_options).size();
}

QRectF PaperPreview::sheet() const
{
    const figures::PaperSize paper = size();
    QSizeF fitted(paper.widthMm, paper.heightMm);
    fitted.scale(QSizeF(width() - 2, height() - kRulerHeight - 2), Qt::KeepAspectRatio);
    return {(width() - fitted.width()) / 2, kRulerHeight + (height() - kRulerHeight - fitted.height()) / 2,
            fitted.width(), fitted.height()};
}

void PaperPreview::paintEvent(QPaintEvent*)
{
    const QRectF target = sheet();
    const qreal ratio = devicePixelRatioF();
    QImage image((target.size() * ratio).toSize(), QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter onSheet(&image);
    figures::FigureRenderer(m_figure, m_options).paint(onSheet, QRectF(QPointF(), QSizeF(image.size())));
    onSheet.end();
    QPainter painter(this);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(target, seenAs(std::move(image), m_seen));
    painter.setPen(QPen(m_theme.theme().midlight, 1));
    painter.drawRect(target);
    paintRuler(painter, target);
}

void PaperPreview::paintRuler(QPainter& painter, const QRectF& sheet) const
{
    const double y = sheet.top() - kRulerHeight / 2;
    painter.setPen(QPen(m_theme.theme().text2, 1));
    painter.setFont(sized(font(), kCaptionSize));
    const QString text = tr("%1 mm").arg(QLocale().toString(size().widthMm, 'f', 1));
    const double half = painter.fontMetrics().horizontalAdvance(text) / 2.0 + 8;
    const double middle = sheet.center().x();
    painter.drawLine(QPointF(sheet.left(), y), QPointF(middle - half, y));
    painter.drawLine(QPointF(middle + half, y), QPointF(sheet.right(), y));
    for (const double x : {sheet.left(), sheet.right()})
        painter.drawLine(QPointF(x, y - 5), QPointF(x, y + 5));
    painter.drawText(QRectF(middle - half, y - 9, 2 * half, 18), Qt::AlignCenter, text);
}

} // namespace ringside
