// SPDX-License-Identifier: GPL-3.0-or-later
// One factor of the form: which setting varies, its levels as text, how many there are, what is wrong with them.
#pragma once

#include "app/drafts/draft.h"
#include "app/pages/editor/enginechoices.h"
#include "app/style/themecontroller.h"

#include <QWidget>
#include <optional>

class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace ringside {

class FieldNote;

class FactorRow : public QWidget
{
    Q_OBJECT
public:
    FactorRow(const ThemeController& theme, const DraftFactor& factor);

    DraftFactor factor() const;
    /// Sets the text as the user would, but without a signal.
    void setText(const std::string& text);
    /// Names that may be levels of the plan.
    void setPlans(const std::vector<std::string>& plans);
    /// The engines that are offered as levels.
    void setEngines(const std::vector<LevelChoice>& engines);
    /// Factors that other rows have cannot be chosen here.
    void setTaken(const std::vector<std::string>& keys);
    void focusLevels();
    /// Its fields come after `before` when Tab goes round; its last one.
    QWidget* followInTabOrder(QWidget* before);
    /// The note below the levels, unless they cannot be read; nullptr: none. Stays until the next call.
    void setCheck(const spec::Check* check);

Q_SIGNALS:
    void changed();
    void removeAsked();

private:
    void showLevels();
    void takeTyped();
    void refreshCompletion();
    std::vector<LevelChoice> offeredLevels() const;

    QComboBox* m_key;
    QLineEdit* m_levels;
    QLabel* m_count;
    QToolButton* m_remove;
    FieldNote* m_note;
    std::optional<spec::Check> m_check;
    std::vector<std::string> m_plans;
    std::vector<LevelChoice> m_engines;
};

} // namespace ringside
