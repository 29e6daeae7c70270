// SPDX-License-Identifier: GPL-3.0-or-later
// Properties that the style sheet selects by. A property changed while shown needs a fresh polish; this does both.
#pragma once

#include <QVariant>

class QPushButton;
class QWidget;

namespace ringside {

void setStyled(QWidget& widget, const char* property, const QVariant& value = true);

/// Kinds of push buttons: at most one primary per page.
QPushButton* primary(QPushButton* button);
QPushButton* link(QPushButton* button);
QPushButton* danger(QPushButton* button);

/// Steps of the 4 px grid.
namespace space {
inline constexpr int kPageX = 20, kPageY = 14, kCardX = 14, kCardY = 10, kGap = 12, kField = 8;
} // namespace space

} // namespace ringside
