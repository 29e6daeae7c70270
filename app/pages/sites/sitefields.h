// SPDX-License-Identifier: GPL-3.0-or-later
// The one-line fields of a site's form: what each is called, and how its text is written in the description.
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
    /// Fails with usage, naming the field, for a text that cannot be understood; what is allowed there is checkSite()'s
    /// affair.
    std::function<Result<void>(Site&, const std::string&)> take;
};

/// Fields for reaching the site and for its programs; name and host are not among them.
std::vector<SiteField> placeFields();
/// Fields for its jobs.
std::vector<SiteField> jobFields();
/// Fields that few sites need.
std::vector<SiteField> advancedFields();

} // namespace ringside
