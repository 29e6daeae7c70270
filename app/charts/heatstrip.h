// SPDX-License-Identifier: GPL-3.0-or-later
// Lateness as colour, ranks by iterations, with a key that has numbers (UX.md 5.3, heat maps). Ranks beyond
// kMostRankBars are shown as that many groups, each by its latest rank. The value of a cell is shown under the pointer,
// or as arrow keys reach it. GUI thread.
#pragma once

#include "app/charts/latetrace.h"
#include "app/style/themecontroller.h"

#include <QWidget>
#include <optional>

namespace ringside {

class HeatStrip : public QWidget
{
    Q_OBJECT
public:
    explicit HeatStrip(ThemeController& theme);

    void show(const LateView& view);

    QSize sizeHint() const override { return {480, 112}; }
    QSize minimumSizeHint() const override { return {200, 76}; }

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    /// A group of ranks, from above, and an iteration, from the left.
    struct Cell
    {
        int row, column;
    };
    QRectF plot() const;
    QRectF boxOf(const Cell& cell) const;
    std::optional<Cell> cellAt(const QPointF& at) const;
    QString textOf(const Cell& cell) const;
    void moveTo(Cell cell);
    void paintChosen(QPainter& painter) const;
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
    double m_top = 1;             ///< ms, of the darkest colour
    std::optional<Cell> m_chosen; ///< by keys
};

} // namespace ringside
