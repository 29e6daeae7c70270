// SPDX-License-Identifier: GPL-3.0-or-later
// Tests for a display to show a window on, before Qt does, which would abort where there is none.
#pragma once

#include "core/base/error.h"

namespace ringside {

/// ErrorCode::unavailable says why there is none. Waits at most five seconds for a display that does not answer.
Result<void> checkDisplay();

} // namespace ringside
