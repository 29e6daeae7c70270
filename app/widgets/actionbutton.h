// SPDX-License-Identifier: GPL-3.0-or-later
// A push button that is the face of a QAction: text, icon, tooltip with shortcut, enabled, visible.
#pragma once

#include <QPushButton>

class QAction;

namespace ringside {

/// Properties of an action: its icon for a filled and for a red button.
inline constexpr const char* kPrimaryIcon = "primaryIcon";
inline constexpr const char* kDangerIcon = "dangerIcon";

class ActionButton : public QPushButton
{
public:
    explicit ActionButton(QAction* action);
    QAction* action() const { return m_action; }

protected:
    bool event(QEvent* event) override;

private:
    void follow();
    QIcon iconOfKind() const;

    QAction* m_action;
};

/// "Retry failed (Ctrl+R)": what a button without room for the shortcut says in its tooltip.
QString toolTipOf(const QAction& action);

} // namespace ringside
