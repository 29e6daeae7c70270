// SPDX-License-Identifier: GPL-3.0-or-later
// The levels of the setting `engine` as the form offers them for a site: first those that the site has.
#pragma once

#include "core/spec/validate.h"

#include <QString>
#include <string>
#include <vector>

namespace ringside {

struct LevelChoice
{
    QString word;      ///< the level, as experiments have it
    QString label;     ///< "PyTorch 2.11.0", "MXNet (not installed)"
    QString help = {}; ///< what to do where the site does not have it; otherwise empty
    bool isMissing = false;
    bool operator==(const LevelChoice&) const = default;
};

/// All offered levels. Where the systems of the site are not known, labels claim nothing. `name`: the site's.
std::vector<LevelChoice> engineChoices(const spec::SiteLimits& site, const std::string& name);

} // namespace ringside
