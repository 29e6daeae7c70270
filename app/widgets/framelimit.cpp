// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/framelimit.h"

#include <QEvent>
#include <QWidget>

namespace ringside {

FrameLimit::FrameLimit(QWidget& view, std::function<void()> draw)
    : m_view(view)
    , m_draw(std::move(draw))
{
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &FrameLimit::want);
    m_view.installEventFilter(this);
}

void FrameLimit::want()
{
    m_wanted = true;
    if (!m_view.isVisible() || m_timer.isActive())
        return;
    const qint64 left = m_sinceDrawn.isValid() ? kInterval.count() - m_sinceDrawn.elapsed() : 0;
    if (left > 0)
        m_timer.start(int(left));
    else
        draw();
}

bool FrameLimit::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Show && m_wanted)
        draw();
    return QObject::eventFilter(watched, event);
}

void FrameLimit::draw()
{
    m_wanted = false;
    m_timer.stop();
    m_draw();
    m_sinceDrawn.start();
}

} // namespace ringside
