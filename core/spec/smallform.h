// SPDX-License-Identifier: MIT
// The small form of an experiment: the same question, asked of this computer in minutes. Pure.
#pragma once

#include "core/spec/experiment.h"
#include "core/spec/validate.h"

namespace ringside::spec {

/// Called NAME-small: small networks, pictures and batches, at most two ranks of one node, few and short runs (one of
/// each configuration if there are many), no GPU, no files of the user's. Its engines are those that `here` has, if it
/// has one of them, and its options are theirs; all other factors stay as they are.
Experiment smallForm(const Experiment& experiment, const SiteLimits& here);
/// Hints at what the small form leaves out for want of it, and what would change that; without positions.
std::vector<Check> leftOutOfSmallForm(const Experiment& experiment, const SiteLimits& here);

} // namespace ringside::spec
