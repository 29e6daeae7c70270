// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/sitedelegate.h"

#include "app/pages/sites/sitemodel.h"
#include "app/style/themecontroller.h"

#include <QPainter>

namespace ringside {

namespace {

constexpr int kItemHeight = 52; // px at 100 % text

void drawLine(QPainter& painter, const QRect& box, const QFont& font, const QColor& colour, const QString& text)
{
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(font).elidedText(text, Qt::ElideRight, box.width()));
}

} // namespace

SiteDelegate::SiteDelegate(const ThemeController& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
{
}

QSize SiteDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const
{
    return {1, qRound(kItemHeight * m_theme.textScale())};
}

void SiteDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Theme& theme = m_theme.theme();
    const bool isChosen = option.state & QStyle::State_Selected;
    painter->save();
    if (isChosen)
        painter->fillRect(option.rect, theme.selection);
    const QRect box = option.rect.adjusted(12, 6, -8, -6);
    m_theme.icon(index.data(SiteModel::kIcon).toString(), isChosen ? Ink::accent : Ink::text2)
        .paint(painter, QRect(box.left(), box.center().y() - 10, 20, 20));
    const QRect text = box.adjusted(32, 0, 0, 0);
    QFont name = option.font;
    name.setWeight(isChosen ? QFont::DemiBold : QFont::Normal);
    drawLine(*painter, text.adjusted(0, 0, 0, -text.height() / 2), name, theme.text, index.data().toString());
    const QRect status = text.adjusted(0, text.height() / 2, 0, 0);
    m_theme.icon(index.data(SiteModel::kStatusIcon).toString(), Ink(index.data(SiteModel::kStatusInk).toInt()))
        .paint(painter, QRect(status.left() - 2, status.center().y() - 6, 12, 12));
    drawLine(*painter, status.adjusted(15, 0, 0, 0), option.font, theme.text2,
             index.data(SiteModel::kStatusText).toString());
    painter->restore();
}

} // namespace ringside
