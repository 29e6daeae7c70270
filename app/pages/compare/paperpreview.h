// SPDX-License-Identifier: GPL-3.0-or-later
// The sheet as it will be printed, at its true proportion, with a ruler over it; also in gray and as deuteranopes see
// it. Drawn aside: until a picture is ready, the one before is shown.
#pragma once

#include "app/figures/paper.h"
#include "app/session/jobtracker.h"
#include "app/session/taskthread.h"
#include "app/style/themecontroller.h"
#include "core/report/figuredata.h"

#include <QImage>
#include <QWidget>
#include <memory>

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

    PaperPreview(ThemeController& theme, report::FigureData figure);
    void setPaper(const figures::PaperOptions& options);
    void setSeen(Seen seen);
    /// As it will be, with the height worked out if none is asked for.
    const figures::PaperSize& size() const { return m_size; }

    QSize sizeHint() const override { return {560, 380}; }
    QSize minimumSizeHint() const override { return {320, 240}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void render();
    QRect sheet() const;
    void paintRuler(QPainter& painter, const QRectF& sheet) const;

    ThemeController& m_theme;
    std::shared_ptr<const report::FigureData> m_figure;
    figures::PaperOptions m_options;
    figures::PaperSize m_size;
    Seen m_seen = Seen::normal;
    QImage m_picture; ///< null until the first one is ready
    JobTracker m_job;
    TaskThread m_renderer; // last: it calls back
};

} // namespace ringside
