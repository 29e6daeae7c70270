// SPDX-License-Identifier: GPL-3.0-or-later
// A quantity now, and its course as a small line: "CPU 97 %". The whole run, at most its last two minutes. No axes, so
// the value says its unit.
#pragma once

#include "app/style/themecontroller.h"

#include <QWidget>
#include <deque>

class QLabel;

namespace ringside {

class Sparkline : public QWidget
{
public:
    /// `highest`: the scale's fixed upper end; 0: the highest value so far.
    Sparkline(ThemeController& theme, const QString& name, double highest);

    void add(double value, const QString& text);
    void clear();

private:
    class Line;

    QString m_name;
    QLabel* m_value;
    Line* m_line;
};

} // namespace ringside
