// SPDX-License-Identifier: GPL-3.0-or-later
// A new site, or another description of one that is known.
#pragma once

#include "core/sites/site.h"

#include <functional>

class QWidget;

namespace ringside {

class ThemeController;

/// Returns at once; window-modal. `save` gets what was described, and says what is wrong with it; then the dialog
/// stays.
void describeSite(QWidget* parent, const ThemeController& theme, const Site& site,
                  const std::function<Result<void>(const Site&)>& save);

} // namespace ringside
