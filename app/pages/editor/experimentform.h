// SPDX-License-Identifier: GPL-3.0-or-later
// The form of an experiment: question, factors and levels, what is held constant.
#pragma once

#include "app/drafts/draft.h"
#include "app/pages/editor/enginechoices.h"
#include "app/style/themecontroller.h"
#include "app/widgets/columnscroll.h"
#include "core/report/items.h"
#include "core/spec/validate.h"

class QFormLayout;
class QLabel;
class QComboBox;
class QLineEdit;

namespace ringside {

class ConstantFields;
class ElidedLabel;
class FactorRows;
class FieldNote;

class ExperimentForm : public ColumnScroll
{
    Q_OBJECT
public:
    explicit ExperimentForm(const ThemeController& theme);

    void setDraft(const Draft& draft);
    const Draft& draft() const { return m_draft; }
    ConstantFields& constants() { return *m_constants; }
    /// The user's sites, besides this computer. That of the draft is offered in any case.
    void setSites(const QStringList& sites);
    /// Limits of the draft's site: plans that its worker cannot run are not to be chosen, and engines that it does not
    /// have come last.
    void setLimits(const spec::SiteLimits& limits);
    /// Asks which plans are compared; they can be composed there.
    void choosePlans();
    /// Shows each finding at its field.
    void setChecks(const std::vector<spec::Check>& checks);
    /// Not while a text that cannot be read stands beside it, as anything here: the text replaces it once it can be.
    void addFactor();
    void clearExclusions();
    /// Changes what [[exclude]] says of a cell. `others`: the cells that stay excluded.
    void setCounted(const Settings& cell, bool counted, const std::vector<Settings>& others);
    /// Puts the focus into the field of a check; false if it has none here.
    bool focusField(const std::string& field);

Q_SIGNALS:
    /// The user changed something.
    void edited();
    /// The user wants to see what only the text can say.
    void tomlAsked();
    /// The user wants to go on without the text that cannot be read.
    void tomlDiscarded();

private:
    void build(const ThemeController& theme);
    QWidget* makeUnreadNote();
    QLayout* factorTitle();
    void buildExclusions();
    void buildConditions();
    void readFields();
    void showSite();
    void refreshDependent();

    const ThemeController& m_theme;
    spec::SiteLimits m_limits;
    std::vector<LevelChoice> m_engines;
    Draft m_draft;
    QLineEdit* m_name;
    QLineEdit* m_question;
    FieldNote* m_nameNote;
    QComboBox* m_site;
    QStringList m_sites;
    QWidget* m_unread; ///< why nothing can be changed while a text cannot be read
    QWidget* m_fields;
    QFormLayout* m_rows;
    FactorRows* m_factors;
    ConstantFields* m_constants;
    QWidget* m_exclusions;
    QLabel* m_exclusionText;
    QWidget* m_conditions; ///< what [[when]] sets in place of a field below
    ElidedLabel* m_conditionText;
};

} // namespace ringside
