// SPDX-License-Identifier: GPL-3.0-or-later
// Enter in a list. A view's own activated() also comes with a click, a double one or, on some desktops, a single one.
#pragma once

#include <functional>

class QWidget;

namespace ringside {

/// Calls `act` when Enter is pressed in `list`, which owns what is made for that.
void onEnter(QWidget& list, std::function<void()> act);

} // namespace ringside
