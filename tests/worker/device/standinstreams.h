// SPDX-License-Identifier: MIT
// Streams and events of the stand-in device. Stream 0, the default one, does everything at once; the others do what was
// enqueued when somebody waits for an event behind it.
#pragma once

#include <functional>

namespace ringside::test {

void installStandInStreams();

/// On the current stream of this thread.
void enqueueHere(std::function<void()> work);
/// What was enqueued on it, as what computes there next finds it done.
void finishHere();

} // namespace ringside::test
