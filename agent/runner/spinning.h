// SPDX-License-Identifier: MIT
// Bounds the time for which threads of OpenMP wait for each other awake.
#pragma once

namespace ringside::runner {

/// Bounds the spinning of OpenMP's threads in the program that this process executes next, unless the user has set it.
/// Without a bound (libgomp spins for some 15 ms) a rank of several threads collapses beside other load: where one of
/// its threads waits for a core, the others burn their own shares waiting for it, and none of them sleeps, which would
/// let it run next. Call it while there is one thread.
void boundSpinning();

} // namespace ringside::runner
