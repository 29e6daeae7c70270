// SPDX-License-Identifier: MIT
#pragma once

#include "core/protocol/control.h"

#include <string>

namespace ringside {

/// A request of a person to campaigns, on whichever sites they are. A site gets a wire::ControlRequest for each of its
/// own.
struct ControlOrder
{
    Control control;
    std::string experiment = {}; ///< whose campaigns; empty: all, or, with cancelRun, that of the run
};

} // namespace ringside
