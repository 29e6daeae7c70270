// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/flowlayout.h"

#include <QEvent>

namespace ringside {

FlowLayout::FlowLayout(QWidget* parent, int gapX, int gapY)
    : QLayout(parent)
    , m_gapX(gapX)
    , m_gapY(gapY)
{
    setContentsMargins({});
}

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

QLayoutItem* FlowLayout::itemAt(int index) const
{
    return index >= 0 && index < count() ? m_items[size_t(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    auto* item = itemAt(index);
    if (item)
        m_items.erase(m_items.begin() + index);
    return item;
}

QSize FlowLayout::sizeHint() const
{
    QSize size;
    for (const auto* item : m_items)
        size = {size.width() + item->sizeHint().width() + m_gapX, qMax(size.height(), item->sizeHint().height())};
    return size;
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const auto* item : m_items)
        size = size.expandedTo(item->minimumSize());
    return size;
}

void FlowLayout::setGeometry(const QRect& rect)
{
    QLayout::setGeometry(rect);
    place(rect, true);
}

int FlowLayout::place(const QRect& rect, bool move) const
{
    int x = rect.x(), y = rect.y(), lineHeight = 0;
    for (auto* item : m_items) {
        if (item->isEmpty()) // hidden
            continue;
        const QSize size = item->sizeHint();
        if (x > rect.x() && x + size.width() > rect.right() + 1) {
            x = rect.x();
            y += lineHeight + m_gapY;
            lineHeight = 0;
        }
        if (move)
            item->setGeometry({QPoint(x, y), size});
        x += size.width() + m_gapX;
        lineHeight = qMax(lineHeight, size.height());
    }
    return y + lineHeight - rect.y();
}

bool FlowBox::event(QEvent* event)
{
    const bool isDone = QWidget::event(event);
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
        setMinimumHeight(layout()->heightForWidth(width()));
    return isDone;
}

} // namespace ringside
