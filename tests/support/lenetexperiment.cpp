// SPDX-License-Identifier: MIT
#include "tests/support/lenetexperiment.h"

#include <fmt/format.h>

namespace ringside::test {

std::string lenetExperiment(const std::string& name, const std::string& factors, int repeats, int iterations,
                            const std::string& more)
{
    return fmt::format(R"(format = 1
name = "{}"
[factors]
{}
[fixed]
model = "lenet"
device = "cpu"
cores_per_rank = 1
batch_per_rank = 4
data = "synthetic"
[runs]
repeats = {}
iterations = {}
warmup = 2
{})",
                       name, factors, repeats, iterations, more);
}

} // namespace ringside::test
