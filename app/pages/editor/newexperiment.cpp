// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/newexperiment.h"

#include <utility>

namespace ringside {

spec::Experiment newExperiment(std::string name, const Preferences& preferences)
{
    spec::Experiment experiment;
    experiment.name = std::move(name);
    experiment.factors = {{"ranks", {Value(std::int64_t{1}), Value(std::int64_t{2})}}};
    experiment.fixed = {{"model", Value(std::string("alexnet"))},
                        {"batch_per_rank", Value(std::int64_t{16})},
                        {"image_size", Value(std::int64_t{128})}};
    experiment.base = {{"ranks", Value(std::int64_t{1})}};
    experiment.runs.repeats = preferences.repeats();
    experiment.runs.warmup = preferences.warmup();
    experiment.runs.iterations = experiment.runs.warmup + 15;
    return experiment;
}

} // namespace ringside
