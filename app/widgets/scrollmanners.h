// SPDX-License-Identifier: GPL-3.0-or-later
// What Qt's forms lack where they scroll: the wheel over a choice or a number scrolls what it stands on, and changes
// nothing; what gets the focus by key, or by a link, comes into sight. One of these serves all windows of the program.
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
