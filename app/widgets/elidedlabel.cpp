// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/elidedlabel.h"

#include <QEvent>
#include <algorithm>

namespace ringside {

ElidedLabel::ElidedLabel(LabelKind kind, const QString& text)
{
    std::unique_ptr<QLabel> model(makeLabel(kind));
    setProperty("kind", model->property("kind"));
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setFullText(text);
}

void ElidedLabel::setFullText(const QString& text)
{
    m_full = text;
    setAccessibleName(text);
    updateGeometry();
    elide();
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {std::min(fontMetrics().averageCharWidth() * 6, sizeHint().width()), QLabel::minimumSizeHint().height()};
}

QSize ElidedLabel::sizeHint() const
{
    ensurePolished(); // the sheet says how large the text is
    return {fontMetrics().horizontalAdvance(m_full) + 2, QLabel::sizeHint().height()};
}

void ElidedLabel::resizeEvent(QResizeEvent* event)
{
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() != QEvent::FontChange)
        return;
    updateGeometry();
    elide();
}

void ElidedLabel::elide()
{
    const QString shown = fontMetrics().elidedText(m_full, Qt::ElideRight, width());
    if (shown != text())
        setText(shown);
    setToolTip(shown == m_full ? QString() : plainToolTip(m_full));
}

} // namespace ringside
