// SPDX-License-Identifier: MIT
// Data that go to a GPU and come back: batches, gradients, weights.
#include "agent/worker/device/batchring.h"
#include "agent/worker/device/tensors.h"
#include "agent/worker/models/sgd.h"
#include "agent/worker/plans/bucketaggregator.h"
#include "agent/worker/plans/collectivecarrier.h"
#include "agent/worker/selftest/devicechecks.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace ringside {

namespace {

constexpr double kUpdateTolerance = 1e-6;
constexpr double kExchangeTolerance = 1e-6;
constexpr int kIterations = 3;
constexpr std::int64_t kNumbers = 1 << 20; ///< of a batch: long enough on its way to be caught by the next
constexpr int kBatches = 12;               ///< beyond all places of the ring

double relativeError(const at::Tensor& right, const at::Tensor& found)
{
    return ((found.cpu() - right).norm() / right.norm()).item<double>();
}

at::Tensor updatedOn(c10::Device device, const at::Tensor& start, const at::Tensor& gradient)
{
    at::Tensor weight = start.to(device, /*non_blocking=*/false, /*copy=*/true).requires_grad_(true);
    Sgd optimizer({{"weight", weight}}, {.learningRate = 0.1, .momentum = 0.9, .weightDecay = 0.01});
    for (int step = 0; step < 2; ++step) {
        weight.mutable_grad() = gradient.to(device, /*non_blocking=*/false, /*copy=*/true);
        optimizer.step();
    }
    return weight.detach().cpu();
}

/// As if two ranks had the same gradients, in the memory of this device.
class Doubling : public Exchange
{
public:
    explicit Doubling(c10::Device place)
        : m_place(place)
    {
    }
    Result<std::uint64_t> sum(std::uint32_t, std::span<float> gradients) override
    {
        const at::NoGradGuard noGraph;
        viewOf(gradients, m_place).mul_(2);
        return gradients.size_bytes();
    }

private:
    c10::Device m_place;
};

std::vector<Parameter> parametersOn(c10::Device device)
{
    at::manual_seed(1);
    std::vector<Parameter> parameters;
    for (const std::int64_t count : {30'000, 37, 500'000})
        parameters.push_back({fmt::format("of {}", count), at::randn({count}).to(device).requires_grad_(true)});
    return parameters;
}

/// Each bucket by itself, as between two ranks.
BucketAggregator::Parts partsFor(const std::vector<Parameter>& parameters, const ExchangeStream& stream)
{
    GradientBuckets buckets({{2}, {1, 0}}, parameters, !stream.stream());
    std::vector<Unit> units = unitsOf({}, buckets.numbers());
    return {Schedule::overlapped,
            std::move(buckets),
            std::move(units),
            inOrder(),
            std::make_unique<CollectiveCarrier>(std::make_unique<Doubling>(stream.device()), stream),
            0.5f};
}

/// The gradient of i/2 · w² is i · w, and twice that is what the exchange leaves.
Result<double> iterate(BucketAggregator& aggregator, const std::vector<Parameter>& parameters, int i)
{
    aggregator.begin();
    at::Tensor loss = at::zeros({}, parameters.front().value.device());
    for (const Parameter& parameter : parameters)
        loss = loss + (parameter.value * parameter.value).sum() * (i / 2.0);
    loss.backward();
    TRY(aggregator.finish());
    double worst = 0;
    for (const Parameter& parameter : parameters)
        worst = std::max(worst, relativeError(parameter.value.detach().cpu() * (2 * i), parameter.value.grad()));
    return worst;
}

} // namespace

CheckResult updateOn(c10::Device device)
{
    at::manual_seed(1);
    const at::Tensor start = at::randn({1000}), gradient = at::randn({1000});
    const double error = relativeError(updatedOn(c10::kCPU, start, gradient), updatedOn(device, start, gradient));
    return passedIf(error <= kUpdateTolerance,
                    fmt::format("relative error {:.1e} after two steps, at most {:.0e}", error, kUpdateTolerance));
}

CheckResult bucketsOn(c10::Device device, bool inDeviceMemory)
{
    const auto parameters = parametersOn(device);
    const ExchangeStream stream = inDeviceMemory ? ExchangeStream(streamBeside(device)) : ExchangeStream();
    BucketAggregator aggregator(parameters, partsFor(parameters, stream));
    double worst = 0;
    for (int i = 1; i <= kIterations; ++i) {
        const auto error = iterate(aggregator, parameters, i);
        if (!error)
            return failed(error.error());
        worst = std::max(worst, *error);
    }
    return passedIf(worst <= kExchangeTolerance, fmt::format("relative error {:.1e} in {} iterations, at most {:.0e}",
                                                             worst, kIterations, kExchangeTolerance));
}

CheckResult batchesOn(c10::Device device)
{
    const at::NoGradGuard noGraph;
    at::Tensor images = at::empty({kNumbers}), labels = at::empty({1}, at::kLong);
    BatchRing ring(images, labels, device);
    std::vector<std::array<at::Tensor, 2>> seen; // on the device: a host that waits would hide what is not waited for
    for (int batch = 0; batch < kBatches; ++batch) {
        images.fill_(batch);
        labels.fill_(batch);
        ring.bring(images.data_ptr(), labels.data_ptr());
        ring.use();
        images.fill_(-1);
        labels.fill_(-1);
        seen.push_back({ring.inputs().clone(), ring.labels().clone()});
    }
    int wrong = 0;
    for (int batch = 0; batch < kBatches; ++batch)
        for (const at::Tensor& tensor : seen[static_cast<std::size_t>(batch)])
            wrong += (tensor.cpu() != batch).any().item<bool>();
    return passedIf(wrong == 0, fmt::format("{} batches of {} MB, {} tensors wrong; exactly 0", kBatches,
                                            images.nbytes() / 1'000'000, wrong));
}

} // namespace ringside
