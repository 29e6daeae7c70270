// SPDX-License-Identifier: MIT
#pragma once

#include "agent/worker/plans/exchangethread.h"

namespace ringside::test {

/// Waits for each unit, as aggregators do it unit by unit.
inline Result<void> awaitAll(ExchangeThread& thread, std::uint32_t units)
{
    for (std::uint32_t unit = 0; unit < units; ++unit)
        TRY(thread.awaitUnit(unit));
    return {};
}

} // namespace ringside::test
