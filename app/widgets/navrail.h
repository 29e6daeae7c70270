// SPDX-License-Identifier: GPL-3.0-or-later
// The column at the left: one button per page, the settings at the foot. Arrow keys move, a dot marks what wants a
// look.
#pragma once

#include "app/style/themecontroller.h"

#include <QFrame>

class QButtonGroup;
class QVBoxLayout;

namespace ringside {

class NavRail : public QFrame
{
    Q_OBJECT
public:
    explicit NavRail(const ThemeController& theme);
    /// Adds a button for page `id`; `atFoot` puts it at the bottom.
    void addPage(int id, const QString& icon, const QString& text, bool atFoot = false);
    void setCurrent(int id);
    /// A 6 px dot and words for those who do not see it ("1 running"); empty words remove it.
    void setMark(int id, Ink ink, const QString& words);
    /// The button of the current page, for F6.
    QWidget* focusTarget() const;

Q_SIGNALS:
    void chosen(int id);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void step(int by);

    const ThemeController& m_theme;
    QButtonGroup* m_group;
    QVBoxLayout* m_layout;
    int m_atTop = 0;
};

} // namespace ringside
