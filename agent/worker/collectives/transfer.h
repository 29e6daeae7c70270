// SPDX-License-Identifier: MIT
// What was started and is not over yet.
#pragma once

#include "core/base/error.h"

namespace ringside {

/// Something on its way, which may be asked and awaited; its memory stays as it is until that is done. Open MPI moves a
/// message only inside calls, so it has to be asked. Given up unfinished only by a process that is about to end.
class Transfer
{
public:
    virtual ~Transfer() = default;
    /// Does not wait. Once true, always true.
    virtual Result<bool> isDone() = 0;
    virtual Result<void> await() = 0;
};

} // namespace ringside
