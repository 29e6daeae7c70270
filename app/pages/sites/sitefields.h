// SPDX-License-Identifier: GPL-3.0-or-later
// The one-line fields of a site's form: what each is called, and how its text stands in the description.
#pragma once

#include "core/base/error.h"
#include "core/sites/site.h"

#include <QString>
#include <functional>
#include <string>
#include <vector>

namespace ringside {

struct SiteField
{
    QString label;
    QString placeholder; ///< what holds where it is empty
    std::function<std::string(const Site&)> text;
    /// Fails with usage, naming the field, for a text that cannot be understood; what may stand there is checkSite()'s
    /// affair.
    std::function<Result<void>(Site&, const std::string&)> take;
};

/// How to get there, and what is used there; name and host are not among them.
std::vector<SiteField> placeFields();
/// What its jobs ask for.
std::vector<SiteField> jobFields();
/// What few sites need.
std::vector<SiteField> advancedFields();

} // namespace ringside
