// SPDX-License-Identifier: MIT
// MPI, or TCP of our own in its place: what the setting backend “auto” stands for.
#pragma once

#include "agent/worker/collectives/communicator.h"

namespace ringside {

/// True if this transport of Open MPI connects hosts by TCP alone.
bool goesByTcp(const std::string& transport);

/// Replaces it by our own TCP where ranks of several hosts would use MPI's TCP, unless they cannot connect that way: on
/// links that are slower than the ranks it needed a half to a twentieth of the time, since it sends about half of the
/// bytes, less with three hosts, and waits asleep (tests/bench/README.md, "Paced layers"). A rule, so that all runs of
/// one configuration use the same. Returns its choice and the reason, for facts. Collective.
Result<std::string> takeFasterTransport(std::unique_ptr<Communicator>& communicator);

} // namespace ringside
