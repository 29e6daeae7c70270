// SPDX-License-Identifier: MIT
// Removing what was chosen, and nothing that is needed or not stored.
#pragma once

#include "core/base/files.h"
#include "core/wire/messages.h"

namespace ringside::cleaner {

/// Deletes as much as it may; the reply lists the rest with reasons. A missing thing counts as deleted. Blocking. Each
/// thing is renamed first, so that a half deleted one is never mistaken for a whole one. `self` is the running agent:
/// it is deleted last, with the folders that are empty then. While a relay of an agent to be deleted is still ending,
/// waits for it for some seconds.
wire::DeleteReply remove(const fs::path& root, const fs::path& self, const wire::DeleteRequest& request);

} // namespace ringside::cleaner
