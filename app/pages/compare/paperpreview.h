// SPDX-License-Identifier: GPL-3.0-or-later
// The sheet as it will be printed, at its true proportion, with a ruler over it; also in gray and as deuteranopes see
// it.
#pragma once

#include "app/figures/paper.h"
#include "app/style/themecontroller.h"
#include "core/report/figuredata.h"

#include <QWidget>

namespace ringside {

class PaperPreview : public QWidget
{
    Q_OBJECT
public:
    enum class Seen
    {
        normal,
        gray,
        deutan
    };

    PaperPreview(ThemeController& theme, report::FigureData figure, QWidget* parent = nullptr);
    void setPaper(const figures::PaperOptions& options);
    void setSeen(Seen seen);
    /// As it will be, with the height worked out if none is asked for.
    figures::PaperSize size() const;

    QSize sizeHint() const override { return {560, 380}; }
    QSize minimumSizeHint() const override { return {320, 240}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QRectF sheet() const;
    void paintRuler(QPainter& painter, const QRectF& sheet) const;

    ThemeController& m_theme;
    report::FigureData m_figure;
    figures::PaperOptions m_options;
    Seen m_seen = Seen::normal;
};

} // namespace ringside
