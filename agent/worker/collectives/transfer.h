// SPDX-License-Identifier: MIT
// A call that was started and is not over yet.
#pragma once

#include "core/base/error.h"

namespace ringside {

/// A transfer in progress, which can be polled and awaited; leave its memory alone until it is done. Open MPI moves a
/// message only inside calls, so it has to be polled. Abandoned unfinished only by a process that is about to end.
class Transfer
{
public:
    virtual ~Transfer() = default;
    /// Does not wait. Once true, always true.
    virtual Result<bool> isDone() = 0;
    virtual Result<void> await() = 0;
};

} // namespace ringside
