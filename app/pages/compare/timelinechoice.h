// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the run and the iterations of a timeline.
#pragma once

#include "core/report/comparison.h"

#include <QWidget>
#include <optional>

class QComboBox;

namespace ringside {

class TimelineChoice : public QWidget
{
    Q_OBJECT
public:
    TimelineChoice();

    /// The finished runs of what is compared, and which of them is shown.
    void offer(const report::Comparison& comparison, const std::vector<store::MeasuredRun>& runs,
               const std::optional<RunId>& shown);
    /// The iterations of the chosen run that were recorded in detail, and which of them is shown.
    void offerIterations(const std::vector<std::uint32_t>& recorded, std::uint32_t shown);
    /// The first of them that is offered, unless one of them is chosen; another run's last iteration is shown.
    void chooseOneOf(const std::vector<RunId>& runs);
    void forget();

    /// nullopt: no run is finished.
    std::optional<RunId> run() const;
    /// nullopt: the last one recorded.
    std::optional<std::uint32_t> iteration() const { return m_iterationChosen; }

Q_SIGNALS:
    void chosen();

private:
    QComboBox* m_run;
    QComboBox* m_iteration;
    std::vector<RunId> m_runs;
    std::optional<std::uint32_t> m_iterationChosen;
};

} // namespace ringside
