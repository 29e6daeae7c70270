// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace ringside::test {

/// The text of an experiment whose runs take some tens of milliseconds an iteration: lenet on one core per rank, on
/// made-up numbers, warm-up 2. `factors` is what stands under [factors], `more` comes at the end ("[base]\nranks = 1").
std::string lenetExperiment(const std::string& name, const std::string& factors, int repeats, int iterations,
                            const std::string& more = {});

} // namespace ringside::test
