// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the hosts of the ssh configuration that become sites: one that is chosen, or several that are ticked.
#pragma once

#include "core/sites/configuredhost.h"
#include "core/sites/site.h"

#include <QString>
#include <functional>
#include <map>
#include <vector>

class QWidget;

namespace ringside {

class ThemeController;

/// By the alias of a host, the site that it is already.
using KnownHosts = std::map<std::string, QString>;

/// Hands over the new sites; while that fails the dialog stays and says why.
void chooseHosts(QWidget* parent, const ThemeController& theme, const std::vector<ConfiguredHost>& hosts,
                 const KnownHosts& known, const std::function<Result<void>(const std::vector<Site>&)>& add);

} // namespace ringside
