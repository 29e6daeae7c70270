// SPDX-License-Identifier: GPL-3.0-or-later
// Scrolls a column up and down where there is too little height: never sideways, so it is as wide as its content needs.
// Its background is transparent.
#pragma once

#include <QScrollArea>

namespace ringside {

class ColumnScroll : public QScrollArea
{
    Q_OBJECT
public:
    ColumnScroll();
    /// Owned from then on.
    void setContent(QWidget* content);
    QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

/// As high as what it holds while there is room, and as wide always.
class FormScroll : public ColumnScroll
{
    Q_OBJECT
public:
    explicit FormScroll(QWidget* form) { setContent(form); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
};

/// `content` in a column of its own, which owns it.
ColumnScroll* scrolled(QWidget* content);

} // namespace ringside
