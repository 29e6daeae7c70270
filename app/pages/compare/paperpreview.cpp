// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/compare/paperpreview.h"

#include "app/figures/figurerenderer.h"
#include "app/session/background.h"
#include "app/style/fonts.h"

#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

namespace ringside {

namespace {

constexpr int kRulerHeight = 28; // px

/// Between the numbers of a pixel and light, by table: pow() would take most of the time of a picture.
class Gamma
{
public:
    Gamma()
    {
        for (std::size_t i = 0; i < m_light.size(); ++i)
            m_light[i] = std::pow(double(i) / double(m_light.size() - 1), kExponent);
        for (std::size_t i = 0; i < m_channel.size(); ++i)
            m_channel[i] =
                std::uint8_t(std::lround(255 * std::pow(double(i) / double(m_channel.size() - 1), 1 / kExponent)));
    }

    double light(int channel) const { return m_light[std::size_t(channel)]; }
    int channel(double light) const
    {
        return m_channel[std::size_t(std::clamp(light, 0.0, 1.0) * double(m_channel.size() - 1) + 0.5)];
    }

private:
    static constexpr double kExponent = 2.2;
    std::array<double, 256> m_light;
    std::array<std::uint8_t, 1 << 16> m_channel; // as fine as black needs, where the curve is steep
};

/// A colour as seen without the M cone: the projection of Viénot, Brettel, Mollon (Color Research and Application 24,
/// 1999), in linear RGB.
QRgb deutan(QRgb pixel, const Gamma& gamma)
{
    const double red = gamma.light(qRed(pixel)), green = gamma.light(qGreen(pixel)), blue = gamma.light(qBlue(pixel));
    const int mixed = gamma.channel(0.29275 * red + 0.70725 * green);
    return qRgb(mixed, mixed, gamma.channel(-0.02234 * red + 0.02234 * green + blue));
}

QImage seenAs(QImage image, PaperPreview::Seen seen)
{
    if (seen == PaperPreview::Seen::gray)
        return image.convertToFormat(QImage::Format_Grayscale8);
    if (seen == PaperPreview::Seen::deutan) {
        const Gamma gamma;
        for (int y = 0; y < image.height(); ++y) {
            auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
            std::transform(line, line + image.width(), line, [&](QRgb pixel) { return deutan(pixel, gamma); });
        }
    }
    return image;
}

QImage draw(const report::FigureData& figure, const figures::PaperOptions& options, QSize pixels)
{
    QImage image(pixels, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    figures::FigureRenderer(figure, options).paint(painter, QRectF(QPointF(), QSizeF(pixels)));
    return image;
}

} // namespace

PaperPreview::PaperPreview(ThemeController& theme, report::FigureData figure)
    : m_theme(theme)
    , m_figure(std::make_shared<const report::FigureData>(std::move(figure)))
    , m_renderer("preview")
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Preview"));
    setAccessibleDescription(QString::fromStdString(m_figure->spoken));
    setPaper({});
}

void PaperPreview::setPaper(const figures::PaperOptions& options)
{
    m_options = options;
    m_size = figures::FigureRenderer(*m_figure, m_options).size();
    render();
}

void PaperPreview::setSeen(Seen seen)
{
    m_seen = seen;
    render();
}

void PaperPreview::resizeEvent(QResizeEvent*)
{
    render();
}

void PaperPreview::render()
{
    const QSize pixels = sheet().size() * devicePixelRatioF();
    if (pixels.isEmpty())
        return;
    runLatest(
        m_renderer, m_job, this,
        [figure = m_figure, options = m_options, seen = m_seen, pixels](std::stop_token) {
            return seenAs(draw(*figure, options, pixels), seen);
        },
        [this](const QImage& picture) {
            m_picture = picture;
            update();
        });
    update(); // the ruler and the edge of the sheet follow at once
}

/// In whole pixels, so that the picture is copied as it is.
QRect PaperPreview::sheet() const
{
    QSizeF fitted(m_size.widthMm, m_size.heightMm);
    fitted.scale(QSizeF(width() - 2, height() - kRulerHeight - 2), Qt::KeepAspectRatio);
    QRect sheet(QPoint(), fitted.toSize());
    sheet.moveCenter(QRect(0, kRulerHeight, width(), height() - kRulerHeight).center());
    return sheet;
}

void PaperPreview::paintEvent(QPaintEvent*)
{
    const QRect target = sheet();
    QPainter painter(this);
    painter.fillRect(target, Qt::white);
    painter.drawImage(target, m_picture);
    painter.setPen(QPen(m_theme.theme().midlight, 1));
    painter.drawRect(target.adjusted(-1, -1, 0, 0)); // around the sheet
    paintRuler(painter, target);
}

void PaperPreview::paintRuler(QPainter& painter, const QRectF& sheet) const
{
    const double y = sheet.top() - kRulerHeight / 2.0;
    painter.setPen(QPen(m_theme.theme().text2, 1));
    painter.setFont(sized(font(), kCaptionSize));
    const QString text = tr("%1 mm").arg(QLocale().toString(m_size.widthMm, 'f', 1));
    const double half = painter.fontMetrics().horizontalAdvance(text) / 2.0 + 8;
    const double middle = sheet.center().x();
    painter.drawLine(QPointF(sheet.left(), y), QPointF(middle - half, y));
    painter.drawLine(QPointF(middle + half, y), QPointF(sheet.right(), y));
    for (const double x : {sheet.left(), sheet.right()})
        painter.drawLine(QPointF(x, y - 5), QPointF(x, y + 5));
    painter.drawText(QRectF(middle - half, y - 9, 2 * half, 18), Qt::AlignCenter, text);
}

} // namespace ringside
