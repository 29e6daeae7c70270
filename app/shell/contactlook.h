// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/widgets/statelook.h"

#include "core/conductor/sink.h"

#include <QCoreApplication>

namespace ringside {

/// The look of contact with a site everywhere. Short: a reason of any length stays in SiteStatus::text.
class ContactWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::ContactWords)
public:
    /// Without a word for a site without reports. `wasReached`: since the window was opened.
    static StateLook look(const SiteStatus& status, bool wasReached);
};

} // namespace ringside
