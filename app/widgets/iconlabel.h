// SPDX-License-Identifier: GPL-3.0-or-later
// An icon in a layout, in the right colour for each theme. Decoration: no accessible name of its own.
#pragma once

#include "app/style/themecontroller.h"

#include <QWidget>

namespace ringside {

class IconLabel : public QWidget
{
public:
    IconLabel(const ThemeController& theme, const QString& name, Ink ink, int size);
    void setIcon(const QString& name, Ink ink);
    QSize sizeHint() const override { return {m_size, m_size}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const ThemeController& m_theme;
    QString m_name;
    Ink m_ink;
    int m_size;
};

} // namespace ringside
