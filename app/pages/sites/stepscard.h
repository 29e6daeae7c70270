// SPDX-License-Identifier: GPL-3.0-or-later
// The connection test of a site: fixed steps, one line each, with what to do below one that needs something.
#pragma once

#include "app/widgets/card.h"

#include "core/sites/sitestep.h"

#include <map>

class QLabel;
class QPushButton;

namespace ringside {

class ElidedLabel;
class IconLabel;
class ThemeController;

class StepsCard : public Card
{
    Q_OBJECT
public:
    explicit StepsCard(const ThemeController& theme);

    /// Shows another test: missing steps were not tried. Facts known without a test are no test. `asOf`: of an earlier
    /// start, wall clock, ns; else 0.
    void showSteps(const std::map<SiteStep::Kind, SiteStep>& steps, bool wasTested, std::int64_t asOf = 0);
    /// Sets whether there is a log of the worker's build to be shown.
    void setHasLog(bool hasLog);
    /// Plain text to be sent to others, such as the site's operators; without secrets, since there are none in steps.
    QString report() const;

Q_SIGNALS:
    /// A compute node is to be asked, too.
    void nodeAsked();
    void logAsked();

private:
    struct Row
    {
        IconLabel* icon;
        ElidedLabel* text;
        QLabel* took;
        QLabel* hint;
        QPushButton* button; ///< null for most
    };
    QPushButton* buttonOf(SiteStep::Kind kind);
    void showStep(const Row& row, const SiteStep* step);

    std::map<SiteStep::Kind, Row> m_rows;
    std::map<SiteStep::Kind, SiteStep> m_steps;
};

} // namespace ringside
