// SPDX-License-Identifier: MIT
// Conditions of runs: how long, on what, with which pictures and numbers they were measured. English, the language of
// exports.
// Pure; any thread.
#pragma once

#include "core/report/comparison.h"

#include <string>
#include <utility>
#include <vector>

namespace ringside::report {

/// "20 iterations (12–15 s) after 5 of warm-up; 224 pixels, fp32; AMD EPYC 7763, torch 2.11.0, mpi: ob1". Unknown facts
/// are left out; empty without runs. Those that logs do not tell stand behind "own runs:" where both are there.
std::string conditionsText(const Comparison& comparison);
/// The same without the machines that the runs were measured on.
std::string briefConditionsText(const Comparison& comparison);
/// The same of one run without how long it was measured: of a part of it, whose length is given elsewhere.
std::string conditionsText(const store::RunRow& run, const store::RunFacts& facts);

/// To Group::facts, what is known of them.
void addFacts(Group& group, const store::RunFacts& facts);

/// Conditions of one group, name to text, always the same names: warmup, measured_iterations, measured_s,
/// cpu_utilisation, gpu_utilisation (medians of its runs, each with _low and _high), processor, torch, system, network,
/// image_size, sequence_length, precision, batch_per_rank, batch_global, flags ("disturbed:2"), differs. Empty text: not known, or none.
std::vector<std::pair<std::string, std::string>> conditionsOf(const Group& group);

/// Returns the origin of a point or a stack.
Origin originOf(const Comparison& comparison, const Group& group);

} // namespace ringside::report
