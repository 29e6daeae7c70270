// SPDX-License-Identifier: MIT
#include "agent/worker/selftest/plangradients.h"

#include "agent/worker/plans/compressions/compression.h"
#include "agent/worker/plans/merging.h"
#include "core/model/costfit.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace ringside {

namespace {

constexpr int kBatch = 4;
constexpr int kImage = 32;
constexpr int kSequence = 12;

} // namespace

std::vector<Collective> sums()
{
    std::vector<Collective> sums;
    std::ranges::copy_if(kCollectives, std::back_inserter(sums), findSummation);
    return sums;
}

double toleranceOf(Compression compression)
{
    return std::max(kExactTolerance, kindOf(compression).rounding);
}

bool rounds(Compression compression)
{
    return compression != Compression::none && !wordsOf(compression).keepsLosses;
}

void pretendNodes(Communicator& communicator, int nodes)
{
    const int ranksOfNode = (communicator.worldSize() + nodes - 1) / nodes;
    communicator.pretendHost(fmt::format("node-{}", communicator.rank() / ranksOfNode));
}

TrainSettings smallProblem(const ModelEntry& model, int batch, int rank, int worldSize)
{
    TrainSettings settings;
    settings.model = &model;
    settings.modelOptions.classes = settings.model->classes;
    settings.batch = batch;
    settings.imageSize = kImage;
    settings.data.batch = batch;
    settings.data.imageSize = kImage;
    settings.sequenceLength = takesTokens(model) ? kSequence : 0;
    settings.data.sequenceLength = settings.sequenceLength;
    settings.data.classes = static_cast<int>(settings.model->classes);
    settings.data.rank = rank;
    settings.data.worldSize = worldSize;
    return settings;
}

std::vector<at::Tensor> gradientsOf(const TrainSettings& settings)
{
    Classifier classifier(settings);
    if (isOnGpu(settings))
        classifier.moveTo(settings.device);
    const auto source = openBatchSource(settings.data);
    classifier.load((*source)->next().value());
    classifier.backward(classifier.forward(), 1);
    return hostGradients(classifier.model());
}

std::vector<at::Tensor> hostGradients(const Model& model)
{
    std::vector<at::Tensor> all;
    for (const auto& parameter : model.parameters())
        all.push_back(parameter.value.grad().to(at::kCPU, /*non_blocking=*/false, /*copy=*/true));
    return all;
}

double relativeError(const std::vector<at::Tensor>& right, const std::vector<at::Tensor>& gradients)
{
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
        difference += (gradients[i] - right[i]).square().sum(at::kDouble).item<double>();
        norm += right[i].square().sum(at::kDouble).item<double>();
    }
    const double error = std::sqrt(difference / norm);
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

double worstError(const std::vector<at::Tensor>& right, const std::vector<at::Tensor>& gradients)
{
    double worst = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
        const double error = ((gradients[i] - right[i]).norm() / right[i].norm()).item<double>();
        worst = std::max(worst, std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
    }
    return worst;
}

AggregationPlan planOf(Collective collective, Grouping grouping, Schedule schedule, Compression compression)
{
    AggregationPlan plan;
    for (const auto part : {nameOf(collective), nameOf(grouping), nameOf(schedule), nameOf(compression)})
        plan.name = (plan.name == "none" ? "" : plan.name + " ") + std::string(part);
    plan.collective = collective;
    plan.grouping = grouping;
    plan.firstBucketBytes = 1 << 10;
    plan.bucketCapBytes = 64 << 10;
    plan.fusionThresholdBytes = 64 << 10;
    plan.chunkBytes = 10'000;
    plan.schedule = schedule;
    plan.compression = compression;
    return plan;
}

std::vector<AggregationPlan> plansOf(Collective collective, Grouping grouping, Schedule schedule)
{
    std::vector<AggregationPlan> plans;
    for (const auto compression : kCompressions)
        if (const auto plan = planOf(collective, grouping, schedule, compression); !whyNotComposed(plan))
            plans.push_back(plan);
    return plans;
}

std::vector<AggregationPlan> exactPlans(Collective collective)
{
    std::vector<AggregationPlan> plans;
    for (const auto grouping : kGroupings)
        for (const auto schedule : kSchedules)
            if (const auto plan = planOf(collective, grouping, schedule); !whyNotComposed(plan))
                plans.push_back(plan);
    return plans;
}

Result<std::vector<TensorGroup>> mergedFor(const AggregationPlan& plan, Classifier& classifier,
                                           Communicator& communicator)
{
    if (!plan.mergesLayers())
        return std::vector<TensorGroup>{};
    const std::vector<CostSegment> cost{{1u << 30, 50e-6, 1e-9}};
    const auto merging = mergeLayers(classifier, communicator, cost, model::mergeRuleOf(plan.grouping));
    const auto costOf = [&](std::uint64_t bytes) { return model::secondsFor(cost, bytes); };
    if (!merging)
        return tl::unexpected(merging.error());
    std::size_t tensors = 0;
    for (const TensorGroup& group : merging->tensors)
        tensors += group.size();
    if (merging->groups != model::mergeRuleOf(plan.grouping)(merging->ready, costOf) ||
        merging->ready.front().readyAt <= 0 || tensors != classifier.model().parameters().size())
        return fail(ErrorCode::internal, "The groups are not those of the rule, or not of all tensors.");
    return merging->tensors;
}

PlanGradients::PlanGradients(Communicator& communicator, const ModelEntry* model)
    : m_communicator(communicator)
    , m_model(model ? *model : *findModel("lenet"))
    , m_right(gradientsOf(smallProblem(m_model, kBatch * communicator.worldSize(), 0, 1)))
{
}

Result<Aggregated> PlanGradients::aggregate(const AggregationPlan& plan, int iterations) const
{
    const auto settings = smallProblem(m_model, kBatch, m_communicator.rank(), m_communicator.worldSize());
    Classifier classifier(settings);
    const auto source = openBatchSource(settings.data);
    const auto& parameters = classifier.model().parameters();
    TRY_ASSIGN(const auto merged, mergedFor(plan, classifier, m_communicator));
    TRY_ASSIGN(const auto aggregator, makeAggregator({plan, parameters, m_communicator, nullptr, merged}));
    Aggregated aggregated;
    for (int i = 0; i < iterations; ++i) {
        classifier.load((*source)->next().value());
        const auto loss = classifier.forward();
        aggregator->begin();
        classifier.backward(loss, aggregator->gradientScale());
        TRY(aggregator->await(parameters.size() - 1));
        TRY(aggregator->finish());
        std::vector<at::Tensor> gradients;
        for (const auto& parameter : parameters)
            gradients.push_back(parameter.value.grad());
        aggregated.worstError = std::max(aggregated.worstError, worstError(m_right, gradients));
        for (const BucketTiming& message : aggregator->timings().get())
            aggregated.messages.push_back(message.bytes);
    }
    return aggregated;
}

std::size_t PlanGradients::numbers() const
{
    std::int64_t numbers = 0;
    for (const at::Tensor& gradient : m_right)
        numbers += gradient.numel();
    return static_cast<std::size_t>(numbers);
}

double PlanGradients::ownError() const
{
    return worstError(m_right,
                      gradientsOf(smallProblem(m_model, kBatch, m_communicator.rank(), m_communicator.worldSize())));
}

} // namespace ringside
