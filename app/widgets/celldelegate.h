// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the cells of every table: text, state chips, progress bars, icons, check boxes, and the line below each row.
#pragma once

#include "app/style/themecontroller.h"

#include <QStyledItemDelegate>

namespace ringside {

/// Roles that models answer beside Qt's own.
enum CellRole
{
    kLookRole = Qt::UserRole + 1, ///< StateLook: a chip
    kProgressRole,                ///< Progress: a bar
    kIconRole,                    ///< StateLook: its icon alone, centred; the word is the tooltip
    kSortRole,                    ///< what the column sorts by
    kKeyRole,                     ///< identity of the row: name of the experiment, id of the run
};

/// Left and right of what a cell shows.
inline constexpr int kCellPadding = 8;

class CellDelegate : public QStyledItemDelegate
{
public:
    explicit CellDelegate(const ThemeController& theme, QObject* parent = nullptr);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    const ThemeController& m_theme;
};

} // namespace ringside
