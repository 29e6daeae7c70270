// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/compare/comparemodel.h"

#include "app/text/text.h"
#include "app/widgets/celldelegate.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/tables.h"

#include "core/report/differences.h"

#include <QLocale>

namespace ringside {

void CompareModel::setTable(report::Table table)
{
    beginResetModel();
    m_table = std::move(table);
    endResetModel();
}

QVariant CompareModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const report::TableRow& row = m_table.rows[std::size_t(index.row())];
    const report::TableCell& cell = row.cells[std::size_t(index.column())];
    switch (role) {
    case Qt::DisplayRole:
        return shownText(cell);
    case Qt::ToolTipRole: // words elide
        return m_table.columns[std::size_t(index.column())].number ? QVariant() : plainToolTip(shownText(cell));
    case Qt::DecorationRole:
        return index.column() == 0 && row.style && m_mark ? QVariant(m_mark(row)) : QVariant();
    case kSortRole:
        return cell.value ? QVariant(*cell.value) : QVariant();
    case kGroupRole:
        return QVariant::fromValue(qulonglong(row.group));
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(m_table.columns[std::size_t(index.column())].number
                                                     ? Qt::AlignRight | Qt::AlignVCenter
                                                     : Qt::AlignLeft | Qt::AlignVCenter));
    default:
        return {};
    }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const report::TableColumn& column = m_table.columns[std::size_t(section)];
    if (role == Qt::DisplayRole)
        return inTwoLines(coreText(column.title));
    if (role == Qt::AccessibleTextRole)
        return coreText(column.title);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(column.number ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter));
    return {};
}

QString shownText(const report::TableCell& cell)
{
    QStringList parts{coreText(cell.words)};
    if (!cell.amount.empty())
        parts << toQt(cell.amount);
    QStringList names;
    for (const std::string& key : cell.differs)
        names << toQt(report::shownName(key));
    if (!names.isEmpty())
        parts << CompareModel::tr("differs in %1, too").arg(QLocale().createSeparatedList(names));
    return parts.join(QStringLiteral(", "));
}

bool CompareOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    const QVariant a = left.data(kSortRole), b = right.data(kSortRole);
    if (a.isValid() && b.isValid())
        return a.toDouble() < b.toDouble();
    if (a.isValid() != b.isValid())
        return a.isValid();
    return QString::localeAwareCompare(left.data().toString(), right.data().toString()) < 0;
}

} // namespace ringside
