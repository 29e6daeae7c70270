// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences of the page Sites.
#pragma once

#include "app/widgets/messagebar.h"
#include "core/sites/sitebook.h"
#include "core/wire/messages.h"

#include <QString>

namespace ringside {

/// The line below the name of the chosen site; nullptr: this computer, of which `isOnly` says that no other is known.
QString descriptionOf(const SiteBook::Entry* entry, bool isOnly);
/// Its runs know the site by its name.
Error busyError(const std::string& site);
/// Its findings would be mistaken for those of another site of that name.
Error testingError(const std::string& site);
/// The result of a removal; files that had to stay are named.
Message removalMessage(const QString& site, const wire::DeleteReply& reply);

} // namespace ringside
