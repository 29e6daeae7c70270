// SPDX-License-Identifier: GPL-3.0-or-later
// A new site, or another description of one that is known.
#pragma once

#include "core/sites/configuredhost.h"
#include "core/sites/site.h"

#include <functional>

class QWidget;

namespace ringside {

class ThemeController;

/// Returns at once; window-modal. `hosts` of the ssh configuration are offered. `save` gets what was described, and
/// says what is wrong with it; then the dialog stays.
void describeSite(QWidget* parent, const ThemeController& theme, const Site& site,
                  const std::vector<ConfiguredHost>& hosts, const std::function<Result<void>(const Site&)>& save);

} // namespace ringside
