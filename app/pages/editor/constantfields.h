// SPDX-License-Identifier: GPL-3.0-or-later
// "Held constant": a field for every setting of the schema that is no factor, and the counts of runs. The batch is one
// field with two meanings, from which the scaling follows.
#pragma once

#include "core/spec/experiment.h"

#include <QWidget>
#include <map>
#include <set>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace ringside {

class ConstantFields : public QWidget
{
    Q_OBJECT
public:
    explicit ConstantFields(QWidget* parent = nullptr);

    void setExperiment(const spec::Experiment& experiment);
    /// Writes `fixed` and `runs`.
    void read(spec::Experiment& experiment) const;
    /// Fields of these settings vanish.
    void setFactors(const std::set<std::string>& keys);
    void setScaling(const QString& hint);
    bool focusSetting(const std::string& key);

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
    std::vector<std::string> fixedKeys() const;

    QFormLayout* m_form;
    std::map<std::string, QWidget*> m_fields; ///< by setting: QComboBox for words, QLineEdit for the rest
    std::set<std::string> m_factors;
    QComboBox* m_batchKind;
    QLineEdit* m_batch;
    QWidget* m_batchRow;
    QLabel* m_scaling;
    QSpinBox* m_iterations;
    QSpinBox* m_warmup;
    QSpinBox* m_repeats;
    QComboBox* m_order;
    QSpinBox* m_seed;
    QLineEdit* m_base;
};

} // namespace ringside
