// SPDX-License-Identifier: MIT
// Experiments that several tests start from.
#pragma once

#include "core/spec/matrix.h"
#include "core/spec/toml.h"
#include "core/spec/validate.h"

#include <doctest/doctest.h>
#include <string>

namespace ringside::spec {

/// A small right experiment: AlexNet on 1 and 2 ranks with two plans; weak scaling.
inline Experiment smallExperiment()
{
    Experiment experiment;
    experiment.name = "small";
    experiment.factors = {{"ranks", {std::int64_t{1}, std::int64_t{2}}},
                          {"plan", {std::string("one"), std::string("buckets")}}};
    experiment.fixed = {
        {"model", std::string("alexnet")}, {"batch_per_rank", std::int64_t{16}}, {"image_size", std::int64_t{128}}};
    experiment.base = {{"ranks", std::int64_t{1}}};
    return experiment;
}

inline std::string errorOf(const Experiment& experiment)
{
    const auto matrix = expand(experiment);
    return matrix ? "no error" : matrix.error().text();
}

inline Matrix expanded(const Experiment& experiment)
{
    auto matrix = expand(experiment);
    REQUIRE_MESSAGE(matrix, errorOf(experiment));
    return std::move(*matrix);
}

/// Findings as printed text, one a line: "blocking runs.warmup: Warm-up (300) must be …".
inline std::string printed(const std::vector<Check>& checks)
{
    std::string text;
    for (const Check& check : checks)
        text += std::string(nameOf(check.severity)) + " " + check.field + ": " + toText(check) + "\n";
    return text;
}

} // namespace ringside::spec
