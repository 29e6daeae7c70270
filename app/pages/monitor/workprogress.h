// SPDX-License-Identifier: GPL-3.0-or-later
// "41 of 156 runs · about 3.6 h left" over a thin bar, for the page header.
#pragma once

#include "core/store/rows.h"

#include <QWidget>
#include <map>

class QLabel;
class QProgressBar;

namespace ringside {

class WorkProgressBar : public QWidget
{
    Q_OBJECT
public:
    WorkProgressBar();
    /// `secondsLeft` below 0: not known.
    void setProgress(const store::RunCounts& counts, double secondsLeft);
    /// A trial is counted among no runs: its state, as "running", and how far it is.
    void setTrial(const QString& state, int iterations, int of);

private:
    QLabel* m_text;
    QProgressBar* m_bar;
};

/// Time until all runs that are to be done have ended (core/stats/timeleft.h); below 0 while none was done. `nowNs` is
/// wall clock time.
double secondsLeft(const std::map<RunId, store::RunRow>& runs, std::int64_t nowNs);

} // namespace ringside
