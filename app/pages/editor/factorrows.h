// SPDX-License-Identifier: GPL-3.0-or-later
// All factors of the form, with a link that adds one.
#pragma once

#include "app/pages/editor/factorrow.h"

class QVBoxLayout;

namespace ringside {

class FactorRows : public QWidget
{
    Q_OBJECT
public:
    explicit FactorRows(const ThemeController& theme);

    /// Makes Tab go from `before` to the rows.
    void followInTabOrder(QWidget* before);
    void setFactors(const std::vector<DraftFactor>& factors);
    std::vector<DraftFactor> factors() const;
    void setPlans(const std::vector<std::string>& plans);
    void setEngines(const std::vector<LevelChoice>& engines);
    /// Adds the first setting that is no factor yet and moves the focus to its levels.
    void addFactor();
    bool focusFactor(const std::string& key);
    /// Each row shows the first that is about its factor.
    void setChecks(const std::vector<spec::Check>& checks);

Q_SIGNALS:
    void changed();

private:
    FactorRow* append(const DraftFactor& factor);
    void refreshTaken();
    void orderTabs();

    const ThemeController& m_theme;
    QWidget* m_before = nullptr;
    QVBoxLayout* m_layout;
    std::vector<FactorRow*> m_rows;
    std::vector<std::string> m_plans;
    std::vector<LevelChoice> m_engines;
};

} // namespace ringside
