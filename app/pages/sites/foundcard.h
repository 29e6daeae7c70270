// SPDX-License-Identifier: GPL-3.0-or-later
// The findings of the latest probe on a site, and the way to Ringside's files there.
#pragma once

#include "app/widgets/card.h"

#include "core/sites/sitestep.h"

#include <vector>

class QAction;
class QFormLayout;

namespace ringside {

class FoundCard : public Card
{
    Q_OBJECT
public:
    explicit FoundCard(QAction* cleanUp);

    /// `remark`: as of when they are, or why there are none.
    void showFacts(const std::vector<SiteFact>& facts, const QString& remark = {});

private:
    QFormLayout* m_rows;
    std::vector<SiteFact> m_facts;
};

} // namespace ringside
