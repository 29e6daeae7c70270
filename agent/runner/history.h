// SPDX-License-Identifier: MIT
// The work of earlier runners of this campaign, read from its journal.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/protocol/journal.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ringside::runner {

struct History
{
    std::set<RunId> finished;                      ///< done, failed or cancelled: not begun again
    std::vector<std::pair<RunId, int>> open;       ///< attempts without an end: their runner died
    std::map<RunId, int> lost;                     ///< per run: attempts that ended because their runner died
    std::map<RunId, int> attempts;                 ///< per run: the highest number of an attempt
    std::vector<std::pair<RunId, double>> lengths; ///< seconds of attempts that were done
    bool ended = false;                            ///< the campaign is over
    Reason note;                                   ///< why it is held, or how it ended; empty while it goes on
};

/// An absent journal is an empty history. Fails with damaged rather than repeat what may be done.
Result<History> readHistory(const fs::path& campaign);

} // namespace ringside::runner
