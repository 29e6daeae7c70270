// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/addbutton.h"

#include "app/style/themecontroller.h"

#include <QAction>
#include <QKeyEvent>
#include <QMenu>

namespace ringside {

AddButton::AddButton(const ThemeController& theme)
    : QPushButton(theme.icon(QStringLiteral("plus")), tr("&Add site"))
{
    connect(&theme, &ThemeController::themeChanged, this,
            [this, &theme] { setIcon(theme.icon(QStringLiteral("plus"))); });
    auto* menu = new QMenu(this);
    menu->setAccessibleName(tr("Add site"));
    connect(menu->addAction(tr("&From ~/.ssh/config…")), &QAction::triggered, this, &AddButton::configuredAsked);
    connect(menu->addAction(tr("&Host name…")), &QAction::triggered, this, &AddButton::hostNameAsked);
    m_demo = menu->addAction(tr("&Demo cluster"));
    connect(m_demo, &QAction::triggered, this, &AddButton::demoAsked);
    setMenu(menu);
    setFocusPolicy(Qt::StrongFocus);
}

void AddButton::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        return showMenu();
    QPushButton::keyPressEvent(event);
}

} // namespace ringside
