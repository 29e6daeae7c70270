// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/toast.h"

#include "app/widgets/arrange.h"
#include "app/widgets/iconlabel.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"

#include <QEvent>
#include <QTimer>
#include <chrono>

namespace ringside {

namespace {

constexpr std::chrono::seconds kShown{6}; // long enough to read one sentence
constexpr int kWidth = 360, kMargin = 16, kAboveStatusBar = 44;

} // namespace

Toast::Toast(const ThemeController& theme, QWidget* window)
    : QFrame(window)
    , m_icon(new IconLabel(theme, QStringLiteral("info"), Ink::accent, 16))
    , m_text(makeParagraph(LabelKind::text))
    , m_timer(new QTimer(this))
{
    fillRow(this, {m_icon, {m_text, 1}}, space::kGap, {16, 12, 16, 12});
    setProperty("card", QStringLiteral("true"));
    setFixedWidth(kWidth);
    m_timer->setSingleShot(true);
    m_timer->setInterval(kShown);
    connect(m_timer, &QTimer::timeout, this, &QWidget::hide);
    window->installEventFilter(this);
    hide();
}

void Toast::setMessage(const Message& message)
{
    const auto shape = shapeOf(message.severity);
    m_icon->setIcon(shape.icon, shape.ink);
    m_text->setText(message.text);
    place();
    show();
    raise();
    m_timer->start();
}

bool Toast::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize && isVisible())
        place();
    return QFrame::eventFilter(watched, event);
}

void Toast::place()
{
    resize(kWidth, heightForWidth(kWidth));
    move(parentWidget()->width() - kWidth - kMargin, parentWidget()->height() - height() - kAboveStatusBar);
}

} // namespace ringside
