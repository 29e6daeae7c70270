// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences of the page Sites.
#pragma once

#include "app/dialogs/confirmdialog.h"
#include "app/widgets/messagebar.h"
#include "core/sites/sitebook.h"
#include "core/wire/messages.h"

#include <QString>
#include <set>
#include <string>

namespace ringside {

/// The line below the name of the chosen site; nullptr: this computer, of which `isOnly` says that no other is known.
QString descriptionOf(const SiteBook::Entry* entry, bool isOnly);
/// Runs of these experiments know the site by its name.
Error busyError(const std::string& site, const std::set<std::string>& experiments);
/// Whether runs of these experiments, which are looked for where the site is described to be, are found there.
Question moveQuestion(const Site& site, const std::set<std::string>& experiments);
/// Its findings would be mistaken for those of another site of that name.
Error testingError(const std::string& site);
/// The result of a removal; files that had to stay are named.
Message removalMessage(const QString& site, const wire::DeleteReply& reply);

} // namespace ringside
