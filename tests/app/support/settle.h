// SPDX-License-Identifier: MIT
#pragma once

namespace ringside::test {

/// Runs the event loop until this process has nothing left to do: every other thread sleeps, and no timer of a window that
/// fires once (a page's loading bar, a form that waits for the next key) is due. What was asked before has then been
/// answered and drawn, however busy the machine is. It does not wait for other processes.
void settle();

} // namespace ringside::test
