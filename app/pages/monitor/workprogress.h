// SPDX-License-Identifier: GPL-3.0-or-later
// "41 of 156 runs · about 3.6 h left" over a thin bar, for the page header.
#pragma once

#include "core/store/rows.h"

#include <QWidget>

class QLabel;
class QProgressBar;

namespace ringside {

class WorkProgressBar : public QWidget
{
    Q_OBJECT
public:
    explicit WorkProgressBar(QWidget* parent = nullptr);
    /// `secondsLeft` below 0: not known.
    void setProgress(const store::RunCounts& counts, double secondsLeft);

private:
    QLabel* m_text;
    QProgressBar* m_bar;
};

/// Time until all runs have ended, from the ends of the latest ones; below 0 while fewer than two have ended.
double secondsLeft(const std::vector<const store::RunRow*>& ended, int unfinished);

} // namespace ringside
