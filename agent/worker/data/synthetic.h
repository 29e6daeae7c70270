// SPDX-License-Identifier: MIT
// Source `synthetic`: one batch of random numbers, returned again and again. It costs nothing per iteration: it stays
// in the memory of the computing device. A model can learn it by heart, so the loss falls.
#pragma once

#include "agent/worker/data/batchsource.h"

namespace ringside {

/// With u(i) = randomUnit(seed, i) of random.h and all ranks' items numbered p = rank · batch + k:
/// element e of picture p (e counts in NCHW order in either layout) is √3 (2 u(p · 2³² + e) - 1), so mean 0 and
/// deviation 1; its label is ⌊classes · u((2³¹ + p) · 2³²)⌋.
/// Token t of sequence p is ⌊classes · u(p · 2³² + t)⌋, for t up to and including the sequence's length; the label of
/// each is the next one.
std::unique_ptr<BatchSource> syntheticSource(const DataSettings& settings);

} // namespace ringside
