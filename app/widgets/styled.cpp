// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/styled.h"

#include <QPushButton>
#include <QStyle>

namespace ringside {

void setStyled(QWidget& widget, const char* property, const QVariant& value)
{
    if (widget.property(property) == value)
        return;
    widget.setProperty(property, value);
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
}

QPushButton* primary(QPushButton* button)
{
    setStyled(*button, "primary");
    return button;
}

QPushButton* link(QPushButton* button)
{
    setStyled(*button, "link");
    button->setCursor(Qt::PointingHandCursor);
    return button;
}

QPushButton* danger(QPushButton* button)
{
    setStyled(*button, "danger");
    return button;
}

} // namespace ringside
