// SPDX-License-Identifier: GPL-3.0-or-later
// Figure data on screen, drawn by the painter of the paper figures in the window's colours and text size: what is
// looked at is what goes into the paper. One focusable widget whose accessible text is the figure's summary; the mouse,
// or the arrow keys, go from point to point; in a timeline the wheel zooms and the arrow keys move. GUI thread.
#pragma once

#include "app/figures/canvas.h"
#include "app/style/themecontroller.h"
#include "core/report/figuredata.h"

#include <QTimer>
#include <QWidget>
#include <functional>

namespace ringside {

class FigureView : public QWidget
{
    Q_OBJECT
public:
    explicit FigureView(ThemeController& theme);

    /// Text of a tooltip about the runs of a point.
    using Describe = std::function<QString(const std::vector<RunId>& runs)>;

    void show(report::FigureData figure);
    void setDescribe(Describe describe) { m_describe = std::move(describe); }
    /// Rings the point of these runs; nothing if there is none.
    void setCurrent(const std::vector<RunId>& runs);
    const report::FigureData& figure() const { return m_figure; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    /// The height that the figure needs; more is used for the plot area.
    int heightForWidth(int width) const override;

Q_SIGNALS:
    /// The user clicked a point, or went to it by keys.
    void chosen(const std::vector<ringside::RunId>& runs);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    double millimetres(double pixels) const;
    bool isTimeline() const { return m_figure.as<report::Lanes>() != nullptr; }
    bool isSameTimeline(const report::FigureData& figure) const;
    figures::PaperOptions paper() const;
    void showSpan(const report::Span& span);
    double timeAt(double x) const;
    bool moveByKey(int key);
    int pointAt(QPointF position) const;
    void step(int by);
    void explain(int point);
    void paintCurrent(QPainter& painter) const;

    ThemeController& m_theme;
    report::FigureData m_figure;
    std::vector<figures::PlacedRuns> m_points; ///< as last painted
    std::vector<RunId> m_current;
    Describe m_describe;
    QTimer m_hover; ///< the pointer has to rest
    int m_hovered = -1;
};

} // namespace ringside
