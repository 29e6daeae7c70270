// SPDX-License-Identifier: MIT
// Streams and events of the stand-in device. A stream does what was enqueued when somebody waits for an event behind
// it, or computes on the stream; an event on a stream that has nothing to do happens at once. Who asks for one that has
// not happened is told so the first time.
#pragma once

#include <functional>

namespace ringside::test {

void installStandInStreams();

/// On the current stream of this thread.
void enqueueHere(std::function<void()> work);
/// What was enqueued on it, as what computes there next finds it done, and who reads there waits for it.
void finishHere();

} // namespace ringside::test
