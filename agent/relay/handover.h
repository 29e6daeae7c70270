// SPDX-License-Identifier: MIT
// Bringing a campaign that lies in its folder to a runner (`ringside-agent submit`): at once, or through its scheduler.
// A process of its own, so that the relay never waits and its end interrupts nothing.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <string>

namespace ringside::relay {

struct HandedOver
{
    std::string job; ///< the scheduler's id, or the runner's
    bool alreadyThere = false;
};

/// Idempotent: a campaign that is over, whose runner lives or whose job waits or runs is left alone. One that is to be
/// cancelled is never submitted: its waiting job is withdrawn, and its end recorded; a job, or a runner here, that has
/// not heeded the cancel for too long is ended before. Nothing is submitted while the
/// existence of a job is unknown: one handing over at a time (a kernel lock that the submission holds, too, should this
/// process be killed; none where the file system has none), and the queue is asked first, by the campaign's tag.
/// Blocking, a minute or two at most.
Result<HandedOver> handOver(const fs::path& campaign, const fs::path& agent);

/// A cancel was asked for so long ago that its runner has had time to heed it.
bool isCancelOverdue(const fs::path& campaign);

/// The id of the campaign's job as noted, without asking the scheduler; empty without one.
std::string notedJob(const fs::path& campaign);

/// For the pipe between this process and the relay.
std::string toJson(const Result<HandedOver>& result);
Result<HandedOver> handedOverFromJson(std::string_view text);

} // namespace ringside::relay
