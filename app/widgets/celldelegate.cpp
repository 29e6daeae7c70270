// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/celldelegate.h"

#include "app/style/icons.h"
#include "app/widgets/chip.h"

#include <QApplication>
#include <QPainter>

namespace ringside {

namespace {

constexpr int kIconSize = 16;

/// True if the cell was drawn by us.
bool drawOwn(QPainter& painter, const QRect& box, const QModelIndex& index, const QFont& font, const Theme& theme)
{
    const QFont small = sized(font, kCaptionSize);
    if (const auto look = index.data(kLookRole); look.isValid())
        return drawChip(painter, box, look.value<StateLook>(), small, theme), true;
    if (const auto progress = index.data(kProgressRole); progress.isValid())
        return drawProgress(painter, box, progress.value<Progress>(), small, theme), true;
    if (const auto icon = index.data(kIconRole); icon.isValid()) {
        const auto look = icon.value<StateLook>();
        return drawIcon(painter, box, look.icon, kIconSize, theme.ink(look.ink)), true;
    }
    return false;
}

/// The padding that the style leaves left and right of an item's text by itself.
int stylePadding(const QWidget* widget)
{
    return QApplication::style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, widget) + 1;
}

} // namespace

CellDelegate::CellDelegate(const ThemeController& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
{
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Theme& theme = m_theme.theme();
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    cell.state &= ~QStyle::State_HasFocus;
    painter->save();
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect, theme.selection);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, theme.hover);
    if (!drawOwn(*painter, option.rect.adjusted(kCellPadding, 0, -kCellPadding, 0), index, option.font, theme)) {
        cell.palette.setColor(QPalette::HighlightedText, theme.text);
        cell.state &= ~(QStyle::State_Selected | QStyle::State_MouseOver);
        const int padding = kCellPadding - stylePadding(option.widget); // so that text is aligned with its header
        cell.rect.adjust(padding, 0, -padding, 0);
        QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, option.widget);
    }
    painter->restore();
    painter->setPen(QPen(theme.grid, 0));
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QFont small = sized(option.font, kCaptionSize);
    const QSize size = QStyledItemDelegate::sizeHint(option, index);
    if (const auto look = index.data(kLookRole); look.isValid())
        return {chipWidth(look.value<StateLook>(), small) + 2 * kCellPadding, size.height()};
    return {size.width() + 2 * (kCellPadding - stylePadding(option.widget)), size.height()};
}

} // namespace ringside
