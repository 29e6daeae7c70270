// SPDX-License-Identifier: MIT
// Makes the parts of a training. Tests put delays around them (delays.h).
#pragma once

#include "agent/worker/data/batchsource.h"
#include "agent/worker/models/classifier.h"
#include "agent/worker/models/sgd.h"
#include "agent/worker/plans/aggregator.h"
#include "agent/worker/timing/phaseclock.h"

#include <functional>
#include <memory>

namespace ringside {

struct PartMakers
{
    std::function<Result<std::unique_ptr<BatchSource>>(const DataSettings&)> data = openBatchSource;
    std::function<std::unique_ptr<Classifier>(const ProblemSettings&)> classifier =
        [](const ProblemSettings& settings) { return std::make_unique<Classifier>(settings); };
    std::function<std::unique_ptr<Sgd>(const std::vector<Parameter>&, const OptimizerSettings&)> optimizer =
        [](const std::vector<Parameter>& parameters, const OptimizerSettings& settings) {
            return std::make_unique<Sgd>(parameters, settings);
        };
    std::function<Result<std::unique_ptr<Aggregator>>(const Aggregation&)> aggregator = makeAggregator;
    std::shared_ptr<PhaseObserver> observer; ///< of the compute thread's phases; none
};

} // namespace ringside
