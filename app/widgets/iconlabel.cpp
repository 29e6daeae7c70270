// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/iconlabel.h"

#include "app/style/icons.h"

#include <QPainter>

namespace ringside {

IconLabel::IconLabel(const ThemeController& theme, const QString& name, Ink ink, int size)
    : m_theme(theme)
    , m_name(name)
    , m_ink(ink)
    , m_size(size)
{
    setFixedSize(size, size);
    connect(&theme, &ThemeController::themeChanged, this, qOverload<>(&QWidget::update));
}

void IconLabel::setIcon(const QString& name, Ink ink)
{
    m_name = name;
    m_ink = ink;
    update();
}

void IconLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    drawIcon(painter, rect(), m_name, m_size, m_theme.ink(m_ink));
}

} // namespace ringside
