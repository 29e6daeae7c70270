// SPDX-License-Identifier: GPL-3.0-or-later
// The card below the table: the chosen experiment in some numbers, and where to go with it.
#pragma once

#include "app/shell/shell.h"
#include "app/widgets/card.h"

#include "core/store/rows.h"

class QLabel;

namespace ringside {

class KeyNumber;

class ExperimentDetails : public Card
{
    Q_OBJECT
public:
    explicit ExperimentDetails(const PageContext& context);
    void setExperiment(const store::ExperimentRow& row);

private:
    const PageContext& m_context;
    QLabel* m_question;
    KeyNumber* m_configurations;
    KeyNumber* m_repeats;
    KeyNumber* m_done;
    KeyNumber* m_failed;
};

} // namespace ringside
