// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/tables.h"

#include "app/widgets/celldelegate.h"

#include <QHeaderView>
#include <QStyle>
#include <QTableView>
#include <QTreeView>
#include <algorithm>

namespace ringside {

namespace {

constexpr int kListRow = 30; // px at 100 % text

/// A tree asks its delegate how high rows are.
class RowDelegate : public CellDelegate
{
public:
    using CellDelegate::CellDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const QSize size = CellDelegate::sizeHint(option, index);
        return {size.width(), std::max(size.height(), qRound(kListRow * m_theme.textScale()))};
    }
};

constexpr int kTitlePadding = 6; // px, above and below two lines together

} // namespace

void setUpTable(QTableView& table, const ThemeController& theme, int rowHeight)
{
    table.setItemDelegate(new CellDelegate(theme, &table));
    table.setShowGrid(false);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table.setWordWrap(false);
    table.setTabKeyNavigation(false);
    table.setMouseTracking(true);
    table.setFrameShape(QFrame::NoFrame);
    table.verticalHeader()->hide();
    table.verticalHeader()->setMinimumSectionSize(20);
    table.verticalHeader()->setDefaultSectionSize(qRound(rowHeight * theme.textScale()));
    auto* header = table.horizontalHeader();
    header->setHighlightSections(false);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setMinimumSectionSize(28);
    header->setTextElideMode(Qt::ElideRight);
    QObject::connect(&theme, &ThemeController::themeChanged, &table, [&table, &theme, rowHeight] {
        table.verticalHeader()->setDefaultSectionSize(qRound(rowHeight * theme.textScale()));
        table.viewport()->update();
    });
}

void setUpList(QTreeView& list, const ThemeController& theme)
{
    list.setRootIsDecorated(false);
    list.setUniformRowHeights(true);
    list.setItemDelegate(new RowDelegate(theme, &list));
}

void chooseRow(QTableView& table, const QModelIndex& index)
{
    if (index.isValid())
        table.selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void fitColumns(QTableView& table)
{
    const QAbstractItemView& view = table;
    QHeaderView& header = *table.horizontalHeader();
    header.setMinimumHeight(2 * header.fontMetrics().lineSpacing() + kTitlePadding);
    for (int column = 0; column < header.count(); ++column)
        header.resizeSection(column, std::max(view.sizeHintForColumn(column), titleWidth(header, column)));
}

int titleWidth(const QHeaderView& header, int column)
{
    return header.sectionSizeHint(column) - 2 * header.style()->pixelMetric(QStyle::PM_HeaderMargin, nullptr, &header);
}

QString inTwoLines(QString title)
{
    qsizetype best = -1;
    const auto offCentre = [&](qsizetype at) { return std::abs(2 * at - title.size()); };
    for (qsizetype at = title.indexOf(u' '); at >= 0; at = title.indexOf(u' ', at + 1))
        if (best < 0 || offCentre(at) < offCentre(best))
            best = at;
    if (best >= 0)
        title[best] = u'\n';
    return title;
}

} // namespace ringside
