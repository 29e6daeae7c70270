// SPDX-License-Identifier: GPL-3.0-or-later
// Runs, ranks and run time of a draft: what a launch costs, without the runs that are there already.
#pragma once

#include "app/pages/editor/evaluation.h"
#include "app/widgets/card.h"

namespace ringside {

class KeyNumber;

class SummaryCard : public Card
{
    Q_OBJECT
public:
    SummaryCard();
    void show(const Evaluation& evaluation);

private:
    void showRuns(const Evaluation& evaluation);
    void showTime(const Evaluation& evaluation);

    KeyNumber* m_runs;
    KeyNumber* m_ranks;
    KeyNumber* m_time;
};

/// "about 4 min, from earlier runs", or that it is unknown until a first run.
QString timeText(const Evaluation& evaluation);
/// The scaling that follows from the batch; empty if it cannot be known.
QString scalingText(const Evaluation& evaluation);

} // namespace ringside
