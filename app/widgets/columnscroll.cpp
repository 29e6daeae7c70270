// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/columnscroll.h"

#include <QEvent>
#include <QScrollBar>
#include <algorithm>

namespace ringside {

namespace {
constexpr int kLeastForm = 200; // px of height
} // namespace

ColumnScroll::ColumnScroll()
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void ColumnScroll::setContent(QWidget* content)
{
    setWidget(content);
    content->setAutoFillBackground(false); // QScrollArea fills both
    viewport()->setAutoFillBackground(false);
}

QSize ColumnScroll::minimumSizeHint() const
{
    const int content = widget() ? widget()->minimumSizeHint().width() : 0;
    return {content + verticalScrollBar()->sizeHint().width(), QScrollArea::minimumSizeHint().height()};
}

bool ColumnScroll::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == widget() && event->type() == QEvent::LayoutRequest)
        updateGeometry();
    return QScrollArea::eventFilter(watched, event);
}

QSize FormScroll::sizeHint() const
{
    const QSize content = widget()->sizeHint();
    return {content.width() + verticalScrollBar()->sizeHint().width(), content.height()};
}

QSize FormScroll::minimumSizeHint() const
{
    return {ColumnScroll::minimumSizeHint().width(), std::min(sizeHint().height(), kLeastForm)};
}

ColumnScroll* scrolled(QWidget* content)
{
    auto* scroll = new ColumnScroll;
    scroll->setContent(content);
    return scroll;
}

} // namespace ringside
