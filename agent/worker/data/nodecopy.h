// SPDX-License-Identifier: MIT
// A copy of a set on the node's own disk: the setting `storage` = node-local.
#pragma once

#include "agent/worker/data/pictureset.h"

#include <chrono>
#include <string>

namespace ringside {

struct NodeCopy
{
    PictureSet set;  ///< in the same order; the folder is not removed while it lives
    std::string how; ///< "1.20 GB in 3.4 s"
};

/// The set, from `folder` (core/protocol/nodefolder.h), whose parent has to be there. Several ranks of a node call this
/// at once: one copies, by a lock that dies with it, the others wait, at most `limit`. The copy is on the disk when
/// this returns, so that a cold cache can be made (`cold`) and nothing is written any more while ranks train. Pictures
/// that are damaged, gone or not allowed to be read are left out, and are bad ones there, too. Progress on stderr.
/// Errors, before anything is copied: unavailable for a disk that is not the node's, or that has no cold cache, and
/// noSpace. Then io, timeout.
Result<NodeCopy> copyToNode(const PictureSet& set, const fs::path& folder, bool cold,
                            std::chrono::seconds limit = std::chrono::hours(2));

} // namespace ringside
