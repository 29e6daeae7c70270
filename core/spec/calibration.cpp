// SPDX-License-Identifier: MIT
#include "core/spec/calibration.h"

#include "core/base/words.h"

namespace ringside::spec {

namespace {

Value whole(int number)
{
    return static_cast<std::int64_t>(number);
}

int countIn(const Settings& settings, std::string_view key)
{
    return static_cast<int>(integerOf(settings, key).value_or(1));
}

} // namespace

std::string calibrationName(const std::string& site)
{
    return "calibration-" + site;
}

bool isCalibration(const std::string& experiment, const std::string& site)
{
    return experiment == calibrationName(site);
}

Experiment calibrationExperiment(const std::string& site, const CalibrationShape& shape, int repeat)
{
    Experiment experiment;
    experiment.name = calibrationName(site);
    experiment.question = Words::tr("What can {} do?", site);
    experiment.site = site;
    experiment.factors = {{"ranks", {whole(shape.nodes * shape.ranksPerNode)}}};
    // Every configuration has a model and a batch; nothing is trained.
    experiment.fixed = {{"engine", std::string(kCalibrationEngine)},
                        {"model", std::string("lenet")},
                        {"image_size", whole(32)},
                        {"batch_per_rank", whole(1)},
                        {"nodes", whole(shape.nodes)},
                        {"cores_per_rank", whole(shape.coresPerRank)}};
    experiment.fixed.merge(unusualOf(shape.means));
    experiment.runs.repeats = repeat;
    experiment.runs.iterations = shape.means.steps();
    experiment.runs.warmup = 0;
    return experiment;
}

bool hasShape(const Settings& settings, const CalibrationShape& shape)
{
    return countIn(settings, "ranks") == shape.nodes * shape.ranksPerNode &&
           countIn(settings, "nodes") == shape.nodes && countIn(settings, "cores_per_rank") == shape.coresPerRank &&
           meansOf(settings) == shape.means;
}

} // namespace ringside::spec
