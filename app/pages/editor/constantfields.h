// SPDX-License-Identifier: GPL-3.0-or-later
// "Held constant": a field for every setting of the schema that is no factor, and the counts of runs. The batch is one
// field with two meanings, from which the scaling follows.
#pragma once

#include "app/drafts/draft.h"
#include "app/pages/editor/enginechoices.h"
#include "app/style/themecontroller.h"

#include "core/report/items.h"
#include "core/spec/check.h"
#include "core/spec/experiment.h"

#include <QObject>
#include <map>
#include <set>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QSpinBox;
class QWidget;

namespace ringside {

class ElidedLabel;
class FieldNote;

class ConstantFields : public QObject
{
    Q_OBJECT
public:
    /// Adds its rows to `form`.
    ConstantFields(const ThemeController& theme, QFormLayout& form, QObject* parent);

    void setExperiment(const spec::Experiment& experiment);
    /// Writes `fixed` and `runs`.
    void read(spec::Experiment& experiment) const;
    /// Fields of these settings vanish, and those that need one of their levels are shown.
    void setFactors(const std::vector<DraftFactor>& factors);
    /// Sets what the engine's field offers; the one that is chosen stays.
    void setEngines(const std::vector<LevelChoice>& engines);
    void setScaling(const QString& hint);
    /// Sets the kind of the batch's items, and so the setting for their size.
    void setItems(report::Items items);
    bool focusSetting(const std::string& key);
    /// Each field shows the first that is about it.
    void setChecks(const std::vector<spec::Check>& checks);

Q_SIGNALS:
    void changed();

private:
    void addBatch();
    void addSettings();
    void addRuns();
    QWidget* makeField(const std::string& key);
    void setField(const std::string& key, const Value* value);
    void readField(const std::string& key, spec::Experiment& experiment) const;
    void refreshRows();
    bool isWanted(const std::string& key) const;
    std::string levelOf(const std::string& key) const;
    bool isMet(const std::optional<spec::Condition>& need) const;
    bool mayHaveEffect(const std::string& key) const;
    std::vector<std::string> fixedKeys() const;

    void addNote(std::set<std::string> keys, QWidget& field);

    const ThemeController& m_theme;
    QFormLayout* m_form;
    std::map<std::string, QWidget*> m_rows;       ///< what holds a setting's field: the field, or it and its unit
    std::map<std::string, QWidget*> m_fields;     ///< by setting: QComboBox for words, QLineEdit for the rest
    std::map<std::string, std::string> m_factors; ///< their levels as they are typed
    report::Items m_items = report::Items::images;
    QComboBox* m_batchKind;
    QLineEdit* m_batch;
    QLabel* m_batchUnit;
    QWidget* m_batchRow;
    ElidedLabel* m_scaling;
    QSpinBox* m_iterations;
    QSpinBox* m_warmup;
    QSpinBox* m_repeats;
    QComboBox* m_order;
    QLineEdit* m_seed;
    QSpinBox* m_hungAfter;
    QLineEdit* m_base;
    std::vector<std::pair<std::set<std::string>, FieldNote*>> m_notes; ///< with the keys that each is about
};

} // namespace ringside
