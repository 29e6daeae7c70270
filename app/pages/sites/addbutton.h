// SPDX-License-Identifier: GPL-3.0-or-later
// "Add site": a menu of the ways to one.
#pragma once

#include <QPushButton>

namespace ringside {

class ThemeController;

class AddButton : public QPushButton
{
    Q_OBJECT
public:
    explicit AddButton(const ThemeController& theme);

    /// There is none without Ringside's source.
    void offerDemo(bool isThere) { m_demo->setVisible(isThere); }

Q_SIGNALS:
    void configuredAsked();
    void hostNameAsked();
    void demoAsked();

protected:
    /// Enter opens it as Space does.
    void keyPressEvent(QKeyEvent* event) override;

private:
    QAction* m_demo;
};

} // namespace ringside
