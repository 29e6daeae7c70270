// SPDX-License-Identifier: MIT
#include "agent/worker/models/normrelu.h"
#include "agent/worker/models/models.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <cmath>
#include <doctest/doctest.h>
#include <torch/csrc/autograd/function.h>

using namespace ringside;

namespace {

BatchNorm normOf(std::int64_t channels)
{
    return {.scale = at::rand({channels}).add_(0.5).requires_grad_(true),
            .shift = at::randn({channels}).requires_grad_(true),
            .runningMean = at::zeros({channels}),
            .runningVariance = at::ones({channels})};
}

BatchNorm copyOf(const BatchNorm& norm)
{
    return {.scale = norm.scale.detach().clone().requires_grad_(true),
            .shift = norm.shift.detach().clone().requires_grad_(true),
            .runningMean = norm.runningMean.clone(),
            .runningVariance = norm.runningVariance.clone()};
}

at::Tensor leaf(const at::Tensor& numbers)
{
    return numbers.detach().clone(at::MemoryFormat::ChannelsLast).requires_grad_(true);
}

/// Relative to the largest number.
double apart(const at::Tensor& one, const at::Tensor& other)
{
    return ((one - other).abs().max() / other.abs().max().clamp_min(1e-12)).item<double>();
}

struct Threads
{
    explicit Threads(int count)
        : before(at::get_num_threads())
    {
        at::set_num_threads(count);
    }
    ~Threads() { at::set_num_threads(before); }
    int before;
};

/// Where both are compiled for the same processor each bit is libtorch's, so that losses can be compared with its own.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
constexpr double kRounding = 0;
#else
constexpr double kRounding = 2e-5;
#endif

void checkAgainstLibtorch(at::IntArrayRef sizes, bool hasShortcut, double offset)
{
    INFO("channels ", sizes[1], ", shortcut ", hasShortcut, ", mean ", offset);
    const at::Tensor numbers = at::randn(sizes).mul_(3).add_(offset), added = at::randn(sizes);
    const BatchNorm norm = normOf(sizes[1]), same = copyOf(norm);
    const at::Tensor x = leaf(numbers), twin = leaf(numbers);
    const at::Tensor shortcut = hasShortcut ? leaf(added) : at::Tensor(), shortcutTwin = leaf(added);
    const at::Tensor y = normRelu(x, norm, shortcut);
    REQUIRE(y.grad_fn()->name().find("NormRelu") != std::string::npos);
    CHECK(y.is_contiguous(at::MemoryFormat::ChannelsLast));

    at::Tensor expected =
        at::batch_norm(twin, same.scale, same.shift, same.runningMean, same.runningVariance, true, 0.1, 1e-5, false);
    expected = (hasShortcut ? expected + shortcutTwin : expected).relu();
    CHECK(apart(y, expected) <= kRounding);
    CHECK(apart(norm.runningMean, same.runningMean) <= kRounding);
    CHECK(apart(norm.runningVariance, same.runningVariance) <= kRounding);

    const at::Tensor after = at::randn(sizes);
    y.backward(after);
    expected.backward(after);
    CHECK(apart(x.grad(), twin.grad()) <= kRounding);
    CHECK(apart(norm.scale.grad(), same.scale.grad()) <= kRounding);
    CHECK(apart(norm.shift.grad(), same.shift.grad()) <= kRounding);
    if (hasShortcut)
        CHECK(apart(shortcut.grad(), shortcutTwin.grad()) <= kRounding);
    CHECK(at::equal(x.detach(), twin.detach()));
}

} // namespace

TEST_CASE("batch norm and ReLU as one operation agree with libtorch's")
{
    at::manual_seed(7);
    for (const int threads : {1, 2, 3}) {
        const Threads now(threads);
        for (const bool hasShortcut : {false, true}) {
            checkAgainstLibtorch({4, 64, 17, 13}, hasShortcut, 0);
            checkAgainstLibtorch({2, 3, 5, 7}, hasShortcut, 1);
            checkAgainstLibtorch({2, 300, 3, 3}, hasShortcut, 0);
            checkAgainstLibtorch({3, 2, 40, 40}, hasShortcut, -2);
        }
    }
}

TEST_CASE("what is not a number passes ReLU")
{
    const BatchNorm norm = normOf(2);
    const at::Tensor x = leaf(at::randn({2, 2, 5, 5}));
    x.detach()[0][1][2][2] = NAN;
    const at::Tensor y = normRelu(x, norm);
    CHECK(y.select(1, 1).isnan().all().item<bool>());
    CHECK_FALSE(y.select(1, 0).isnan().any().item<bool>());
}

TEST_CASE("other orders and numbers are left to libtorch")
{
    const BatchNorm norm = normOf(4);
    CHECK(normRelu(leaf(at::randn({8, 4, 1, 1})), norm).grad_fn()->name().find("NormRelu") == std::string::npos);
    const at::Tensor rows = at::randn({2, 4, 6, 6}).requires_grad_(true);
    CHECK(normRelu(rows, norm).grad_fn()->name().find("NormRelu") == std::string::npos);
    const at::Tensor halves = leaf(at::randn({2, 4, 6, 6}).to(at::kBFloat16));
    CHECK((normRelu(halves, norm).scalar_type() == at::kBFloat16));
}

TEST_CASE("a network computes the same on one thread as on two, in each order")
{
    for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
        std::vector<at::Tensor> losses, gradients;
        for (const int threads : {1, 2}) {
            const Threads now(threads);
            at::manual_seed(9);
            const auto model = findModel("resnet50")->make({.classes = 10});
            if (format == at::MemoryFormat::ChannelsLast)
                model->toChannelsLast();
            const at::Tensor loss = model->forward(at::randn({4, 3, 64, 64}).contiguous(format)).square().mean();
            loss.backward();
            losses.push_back(loss.detach());
            gradients.push_back(model->parameters().back().value.grad().clone());
        }
        CHECK(apart(losses[0], losses[1]) < 1e-4);
        CHECK(apart(gradients[0], gradients[1]) < 1e-3);
    }
}
