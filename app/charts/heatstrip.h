// SPDX-License-Identifier: GPL-3.0-or-later
// Lateness as colour, ranks by iterations, with a key that has numbers (UX.md 5.3, heat maps). Ranks beyond
// kMostRankBars are shown as that many groups, each by its latest rank. GUI thread.
#pragma once

#include "app/charts/latetrace.h"
#include "app/style/themecontroller.h"

#include <QWidget>

namespace ringside {

class HeatStrip : public QWidget
{
    Q_OBJECT
public:
    explicit HeatStrip(ThemeController& theme, QWidget* parent = nullptr);

    void show(const LateView& view);

    QSize sizeHint() const override { return {480, 112}; }
    QSize minimumSizeHint() const override { return {200, 76}; }

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QRectF plot() const;
    QString textAt(const QPointF& at) const;
    void paintCells(QPainter& painter, const QRectF& plot) const;
    void paintRanks(QPainter& painter, const QRectF& plot) const;
    void paintKey(QPainter& painter, const QRectF& plot) const;
    void paintScale(QPainter& painter, const QPointF& at, const QString& before, const QString& after) const;
    QColor colourOf(double ms) const;
    QString spoken() const;

    ThemeController& m_theme;
    LateView m_view;
    std::vector<std::vector<double>> m_rows; ///< ms, by group of ranks and iteration
    int m_ranksPerRow = 1;
    double m_top = 1; ///< ms, of the darkest colour
};

} // namespace ringside
