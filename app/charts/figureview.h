// SPDX-License-Identifier: GPL-3.0-or-later
// Figure data on screen, drawn by the painter of the paper figures in the window's colours and text size: what is looked at
// is what goes into the paper. One focusable widget that speaks the figure's summary. GUI thread.
#pragma once

#include "app/style/themecontroller.h"
#include "core/report/figuredata.h"

#include <QWidget>
#include <optional>

namespace ringside {

class FigureView : public QWidget
{
    Q_OBJECT
public:
    explicit FigureView(ThemeController& theme, QWidget* parent = nullptr);

    void show(report::FigureData figure);
    const report::FigureData& figure() const { return m_figure; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {240, 180}; }
    bool hasHeightForWidth() const override { return true; }
    /// What the figure needs; more is used for the plot area.
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    double millimetres(double pixels) const;

    ThemeController& m_theme;
    report::FigureData m_figure;
};

} // namespace ringside
