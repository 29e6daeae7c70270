// SPDX-License-Identifier: GPL-3.0-or-later
// A note at the bottom right inside the window, for six seconds. Never focused, no animation; it stays in the bell
// list.
#pragma once

#include "app/widgets/messagebar.h"

class QTimer;

namespace ringside {

class Toast : public QFrame
{
public:
    Toast(const ThemeController& theme, QWidget* window);
    void setMessage(const Message& message);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place();

    IconLabel* m_icon;
    QLabel* m_text;
    QTimer* m_timer;
};

} // namespace ringside
