// SPDX-License-Identifier: MIT
// A network that spends time without computing: many ranks on a small machine, communication studied alone.
#pragma once

#include "agent/worker/models/model.h"

#include <chrono>
#include <memory>

namespace ringside {

/// Has the parameters of `real`. Each of its layers sleeps for `perLayer` in forward and for twice that in backward, in
/// the usual ratio of the two, and then its gradients are there: of the right size, filled with small numbers that do
/// not change. Logits are all alike, and one row of them for each item.
std::unique_ptr<Model> makePaced(const Model& real, std::chrono::nanoseconds perLayer, std::int64_t classes);

/// Index of the first parameter of each layer: those whose names are alike up to the last dot, or that torch.nn counts
/// to one layer of an LSTM.
std::vector<std::size_t> layersOf(const std::vector<Parameter>& parameters);

} // namespace ringside
