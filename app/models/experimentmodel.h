// SPDX-License-Identifier: GPL-3.0-or-later
// The experiments of a database as a table, and what the user filters and sorts of it. They hold and show, nothing
// else.
#pragma once

#include "core/store/rows.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <vector>

namespace ringside {

class ExperimentModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column
    {
        kStar,
        kName,
        kRuns,
        kProgress,
        kState,
        kSite,
        kChanged,
        kColumnCount
    };

    /// Replaces all rows; remaining rows stay in place and selected.
    void setRows(std::vector<store::ExperimentRow> rows);
    const store::ExperimentRow& row(int row) const { return m_rows[std::size_t(row)]; }
    const std::vector<store::ExperimentRow>& rows() const { return m_rows; }

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(m_rows.size()); }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumnCount; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QVariant text(const store::ExperimentRow& row, int column) const;
    QVariant sortValue(const store::ExperimentRow& row, int column) const;
    bool sameNames(const std::vector<store::ExperimentRow>& rows) const;

    std::vector<store::ExperimentRow> m_rows;
};

/// Runs of its matrix, those that were never launched included.
int plannedRuns(const store::ExperimentRow& experiment);

/// The state of an experiment, from the states of its runs.
RunState stateOf(const store::ExperimentRow& experiment);

class ExperimentFilter : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    enum class Scope
    {
        all,
        running,
        waiting,
        done,
        failed,
        archived
    };

    ExperimentFilter();
    void setText(const QString& text);
    void setScope(Scope scope);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QString m_text;
    Scope m_scope = Scope::all;
};

} // namespace ringside
