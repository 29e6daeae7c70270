// SPDX-License-Identifier: GPL-3.0-or-later
// The summary table below the chart: report::Table as an item model, sortable by value.
#pragma once

#include "core/report/table.h"

#include <QAbstractTableModel>
#include <QPixmap>
#include <QSortFilterProxyModel>
#include <functional>

namespace ringside {

class CompareModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    /// The group behind a row: index into Comparison::groups.
    static constexpr int kGroupRole = Qt::UserRole + 20;

    /// Draws the mark of a row's series, for its first cell.
    using Mark = std::function<QPixmap(const report::TableRow& row)>;

    void setMark(Mark mark) { m_mark = std::move(mark); }
    void setTable(report::Table table);
    const report::Table& table() const { return m_table; }

    int rowCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : int(m_table.rows.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : int(m_table.columns.size());
    }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    report::Table m_table;
    Mark m_mark;
};

/// As the window shows it, in its language.
QString shownText(const report::TableCell& cell);

/// Numbers by value; cells without one after all others, by text.
class CompareOrder : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

} // namespace ringside
