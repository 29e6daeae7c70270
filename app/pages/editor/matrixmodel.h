// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of a draft's matrix in its order, with a check box each; unticked ones are excluded.
#pragma once

#include "app/pages/editor/evaluation.h"
#include "core/report/items.h"

#include <QAbstractTableModel>

namespace ringside {

class MatrixModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    /// Rows stay where the cells are the same: only what is known of them changes.
    void setEvaluation(const Evaluation& evaluation);

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(m_rows.size()); }
    int columnCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : factorColumns() + kFixedCount;
    }
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    /// The user ticked or unticked a cell. `others`: those that stay excluded.
    void tickedChanged(const ringside::Settings& cell, bool ticked, const std::vector<ringside::Settings>& others);

private:
    struct Row
    {
        Settings settings;
        bool ticked = true;
        double seconds = -1; ///< below 0: unknown
        double rate = -1;
    };
    enum Fixed
    {
        kBatch,
        kRepeats,
        kRate,
        kSeconds,
        kFixedCount
    };

    static std::vector<Row> rowsOf(const Evaluation& evaluation);
    QVariant text(const Row& row, int column) const;
    QString title(int column) const;
    int factorColumns() const { return int(m_factors.size()); }

    std::vector<std::string> m_factors;
    std::vector<Row> m_rows;
    int m_repeats = 0;
    bool m_canTick = true; ///< not while the TOML cannot be read: what is changed meanwhile would be lost with it
    report::Items m_items = report::Items::images; ///< what rates and batches count
};

} // namespace ringside
