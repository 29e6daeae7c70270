// SPDX-License-Identifier: GPL-3.0-or-later
// A site in the list of sites: an icon, the name, and below it the state of contact.
#pragma once

#include <QStyledItemDelegate>

namespace ringside {

class ThemeController;

class SiteDelegate : public QStyledItemDelegate
{
public:
    /// `theme` outlives it.
    SiteDelegate(const ThemeController& theme, QObject* parent);

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const ThemeController& m_theme;
};

} // namespace ringside
