// SPDX-License-Identifier: MIT
// The proof that phases measure what their names say: a delay of 20 ms at one place grows the phase that is named after
// it by 20 ms, and no other by as much as 1 ms, nor does one shrink. The one thing in tests that reads a clock.
//
// The delay comes in every second iteration: what the machine does over seconds is in those with it and in those
// without. Other load makes iterations longer, each by another time. So the shortest count, and those that are longer
// by the delay where it comes; how their phases share that out has no part in the choice. A busy machine leaves few of
// them: more are made.
#pragma once

#include "tests/worker/train/attempt.h"

#include <functional>

namespace ringside::test {

/// Checks it for every place of a delay, and so for every phase. `prepare` makes of an attempt what the proof is of:
/// its device, its worker.
void provePhases(const std::function<void(Attempt&)>& prepare = [](Attempt&) {});

} // namespace ringside::test
