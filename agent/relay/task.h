// SPDX-License-Identifier: MIT
// `ringside-agent task`: carries out one long request of a relay (see tasks.h).
#pragma once

#include "agent/relay/relay.h"

namespace ringside::relay {

/// Reads one request from standard input and answers on standard output, in frames. Goes on when nobody reads any more.
/// Blocking until it is done. Fails only if there is no request that it knows.
Result<void> carryOutTask(const RelayOptions& options);

} // namespace ringside::relay
