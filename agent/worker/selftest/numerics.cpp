// SPDX-License-Identifier: MIT
// Gradients against finite differences, the optimizer against its formula, bf16 against fp32.
#include "agent/worker/models/autocast.h"
#include "agent/worker/models/layers.h"
#include "agent/worker/models/models.h"
#include "agent/worker/models/sgd.h"
#include "agent/worker/selftest/plangradients.h"
#include "agent/worker/selftest/selftest.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <functional>

namespace ringside {

namespace {

constexpr double kGradientTolerance = 1e-5; // of fp32 sums over a few hundred products
constexpr double kNormTolerance = 1e-3;
constexpr double kLayoutTolerance = 1e-3;
constexpr double kUpdateTolerance = 1e-6;
constexpr double kBf16Tolerance = 5e-2; // 8 bits of mantissa through five layers

class Layers : public Model
{
public:
    at::Tensor forward(const at::Tensor& images) override { return images; }
};

double innerProduct(const at::Tensor& a, const at::Tensor& b)
{
    return (a.to(at::kDouble) * b.to(at::kDouble)).sum().item<double>();
}

/// The largest relative difference over the model's parameters between the gradient along a random direction and the
/// central difference (f(w + εd) - f(w - εd)) / 2ε. A function that is linear in w needs no small ε.
double gradientError(const Model& model, const std::function<at::Tensor()>& output, double epsilon = 1)
{
    const auto weights = at::randn_like(output().detach());
    at::Tensor(output() * weights).sum().backward();
    double worst = 0;
    for (const auto& parameter : model.parameters()) {
        const at::NoGradGuard noGrad;
        const auto direction = at::randn_like(parameter.value);
        auto value = parameter.value;
        value.add_(direction, epsilon);
        const double above = innerProduct(output(), weights);
        value.sub_(direction, 2 * epsilon);
        const double below = innerProduct(output(), weights);
        value.add_(direction, epsilon);
        const double expected = (above - below) / (2 * epsilon);
        const double scale = (parameter.value.grad().norm() * direction.norm()).item<double>();
        worst = std::max(worst, std::abs(innerProduct(parameter.value.grad(), direction) - expected) / scale);
    }
    return worst;
}

CheckResult withinTolerance(double error, double tolerance)
{
    return passedIf(error <= tolerance, fmt::format("relative error {:.1e}, at most {:.0e}", error, tolerance));
}

CheckResult convolutionGradients()
{
    at::manual_seed(1);
    Layers model;
    const Convolution layer(model, "layer", {.in = 3, .out = 8, .kernel = 3, .stride = 2, .padding = 1});
    const auto images = at::randn({2, 3, 9, 9});
    return withinTolerance(gradientError(model, [&] { return layer(images); }), kGradientTolerance);
}

CheckResult linearGradients()
{
    at::manual_seed(1);
    Layers model;
    const Linear layer(model, "layer", 32, 10);
    const auto inputs = at::randn({4, 32});
    return withinTolerance(gradientError(model, [&] { return layer(inputs); }), kGradientTolerance);
}

/// The norm bends f: ε is small, and fp32 leaves fewer digits of the difference.
CheckResult normGradients()
{
    constexpr double kEpsilon = 1e-2;
    at::manual_seed(1);
    Layers model;
    const NormedConvolution layer(model, "convolution", "norm", {.in = 3, .out = 8, .kernel = 3, .padding = 1});
    const auto images = at::randn({4, 3, 9, 9});
    return withinTolerance(gradientError(
                               model, [&] { return layer(images); }, kEpsilon),
                           kNormTolerance);
}

/// By other kernels of libtorch: batch norm and residuals through 18 layers.
CheckResult layoutGradients()
{
    TrainSettings settings = smallProblem(*findModel("resnet18"), 8, 0, 1);
    settings.imageSize = settings.data.imageSize = 64;
    const auto contiguous = gradientsOf(settings);
    settings.channelsLast = settings.data.channelsLast = true;
    return withinTolerance(relativeError(contiguous, gradientsOf(settings)), kLayoutTolerance);
}

/// Two steps with the same gradient g: v₁ = g + λw₀, v₂ = μv₁ + g + λw₁.
CheckResult optimizerUpdate()
{
    at::manual_seed(1);
    Layers model;
    auto weight = model.add("weight", at::randn({1000}));
    const OptimizerSettings settings{.learningRate = 0.1, .momentum = 0.9, .weightDecay = 0.01};
    const auto gradient = at::randn({1000});
    const auto start = weight.detach().to(at::kDouble).clone();
    const auto v1 = gradient + settings.weightDecay * start;
    const auto w1 = start - settings.learningRate * v1;
    const auto v2 = settings.momentum * v1 + gradient + settings.weightDecay * w1;
    const auto expected = w1 - settings.learningRate * v2;
    Sgd optimizer(model.parameters(), settings);
    for (int step = 0; step < 2; ++step) {
        weight.mutable_grad() = gradient.clone();
        optimizer.step();
    }
    const auto difference = (weight.detach().to(at::kDouble) - expected).norm() / expected.norm();
    return withinTolerance(difference.item<double>(), kUpdateTolerance);
}

CheckResult bf16Forward()
{
    at::manual_seed(1);
    const at::NoGradGuard noGrad;
    const auto model = findModel("lenet")->make({.classes = 10});
    const auto images = at::randn({8, 3, 32, 32});
    const auto exact = model->forward(images);
    const auto rounded = [&] {
        const Autocast autocast(Precision::bf16);
        return model->forward(images).to(at::kFloat);
    }();
    return withinTolerance(((rounded - exact).norm() / exact.norm()).item<double>(), kBf16Tolerance);
}

} // namespace

std::vector<Check> numericChecks()
{
    return {{"gradients of a convolution", convolutionGradients},
            {"gradients of a linear layer", linearGradients},
            {"gradients of a convolution with batch norm", normGradients},
            {"gradients of resnet18, contiguous and channels_last", layoutGradients},
            {"fused SGD with momentum and weight decay", optimizerUpdate},
            {"bf16 against fp32, lenet", bf16Forward}};
}

} // namespace ringside
