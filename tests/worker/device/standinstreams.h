// SPDX-License-Identifier: MIT
// Streams and events of the stand-in device. A stream does what was enqueued when the host waits for an event behind
// it, or computes on the stream; an event on a stream that has nothing to do happens at once. Who asks for one that has
// not happened gets that answer the first time. A prompt one does it when it is enqueued: what the host does takes the
// time of the device then, too.
#pragma once

#include <functional>
#include <string_view>

namespace ringside::test {

enum class Pace
{
    late,
    prompt
};

void installStandInStreams(Pace pace);

/// On the current stream of this thread.
void enqueueHere(std::function<void()> work);
/// Finishes the enqueued work, which later work on it finds done, and which a reader there waits for.
void finishHere();

/// Returns whether the current stream is one that a thread of its own works off.
bool isWorkedOffElsewhere();

/// Throws what libtorch throws of a fault of a GPU, where RINGSIDE_STANDIN_FAULT is this place: "compute" (a
/// convolution) or "exchange" (an event that is asked for on a thread that communicates).
void failIfTold(std::string_view place);

} // namespace ringside::test
