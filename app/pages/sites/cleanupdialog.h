// SPDX-License-Identifier: GPL-3.0-or-later
// Lists Ringside's files on a site: old things ticked, those in use not to be ticked.
#pragma once

#include "core/wire/messages.h"

#include <QString>
#include <functional>
#include <vector>

class QWidget;

namespace ringside {

class ThemeController;

/// Returns at once; window-modal. `remove` gets what was ticked.
void chooseWhatToRemove(QWidget* parent, const ThemeController& theme, const QString& site,
                        const std::vector<wire::InstalledItem>& installed,
                        const std::function<void(const std::vector<wire::Item>&)>& remove);

} // namespace ringside
