// SPDX-License-Identifier: GPL-3.0-or-later
// Corrects how Qt's forms scroll: the wheel over a choice or a number scrolls the page below it, and changes nothing; a
// widget that gets the focus by key, or by a link, comes into sight. One of these serves all windows of the program.
#pragma once

#include <QObject>

namespace ringside {

class ScrollManners : public QObject
{
public:
    /// Begins at once and ends with `parent`.
    explicit ScrollManners(QObject* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace ringside
