// SPDX-License-Identifier: MIT
// A person's command for a campaign: one value from the button and the command to the relay, which writes it as a file
// of the campaign's control/ folder, where the runner reads it.
#pragma once

#include "core/base/ids.h"

namespace ringside {

struct Control
{
    /// Numbers of the wire, too.
    enum class Kind
    {
        hold,         ///< begin no further run
        proceed,      ///< no longer hold
        cancel,       ///< end everything
        cancelRun,    ///< end this run, or never begin it
        cancelWaiting ///< begin none of the runs that have not begun; reaches a site as a cancelRun of each
    };
    Kind kind = Kind::hold;
    RunId run = {}; ///< cancelRun only
    bool operator==(const Control&) const = default;
};

} // namespace ringside
