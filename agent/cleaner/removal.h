// SPDX-License-Identifier: MIT
// Removing what was chosen, and nothing that is needed or not stored.
#pragma once

#include "core/base/files.h"
#include "core/wire/messages.h"

namespace ringside::cleaner {

/// Deletes what it may; the rest is in the reply with its reason. What is not there counts as deleted. Blocking. Each
/// thing gets another name first, so that what is half deleted is never taken for whole. `self` is the running agent:
/// it goes last, and with it the folders that are empty then. Where a relay of an agent that is to go still ends, that
/// is awaited for some seconds.
wire::DeleteReply remove(const fs::path& root, const fs::path& self, const wire::DeleteRequest& request);

} // namespace ringside::cleaner
