// SPDX-License-Identifier: MIT
// `ringside-agent long-request`: carries out one long request of a relay (see longrequests.h).
#pragma once

#include "agent/relay/relay.h"

namespace ringside::relay {

/// Reads one request from standard input and answers on standard output, in frames. Goes on when the reader is gone.
/// Blocking until it is done. Fails only if there is no request that it knows.
Result<void> carryOutLongRequest(const RelayOptions& options);

} // namespace ringside::relay
