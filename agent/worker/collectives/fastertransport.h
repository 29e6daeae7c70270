// SPDX-License-Identifier: MIT
// MPI, or TCP of our own in its place: what the setting backend “auto” stands for.
#pragma once

#include "agent/worker/collectives/communicator.h"

namespace ringside {

/// Whether this transport of Open MPI goes from host to host by TCP alone.
bool goesByTcp(const std::string& transport);

/// Makes it TCP of our own where ranks of several hosts would go by MPI's TCP, unless they cannot meet so: on links that
/// are slower than the ranks it took a half to a twentieth of the time, since it sends about half of the bytes, less
/// with three hosts, and waits asleep (tests/bench/README.md, "Paced layers"). A rule, so that runs of one
/// configuration all take the same. Says which it took and why, for facts.
/// Collective.
Result<std::string> takeFasterTransport(std::unique_ptr<Communicator>& communicator);

} // namespace ringside
