// SPDX-License-Identifier: MIT
#include "agent/worker/models/layerclock.h"

#include "agent/worker/models/models.h"
#include "agent/worker/models/paced.h"
#include "core/base/clock.h"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

using namespace ringside;

namespace {

std::unique_ptr<Model> make(std::string_view name)
{
    at::manual_seed(5);
    const auto* entry = findModel(name);
    REQUIRE(entry);
    return entry->make({.classes = entry->classes, .dropout = 0});
}

at::Tensor images(std::int64_t size)
{
    at::manual_seed(6);
    return at::randn({2, kChannels, size, size});
}

/// One forward and one backward; every gradient.
std::vector<at::Tensor> gradients(Model& model, std::int64_t size)
{
    for (const Parameter& parameter : model.parameters())
        parameter.value.mutable_grad().reset();
    model.forward(images(size)).square().mean().backward();
    std::vector<at::Tensor> all;
    for (const Parameter& parameter : model.parameters())
        all.push_back(parameter.value.grad().clone());
    return all;
}

struct Observed
{
    std::vector<LayerTiming> layers;
    std::int64_t lengthNs;
};

Observed observe(Model& model, std::int64_t size)
{
    LayerClock clock(model);
    CHECK_FALSE(clock.isOn());
    clock.begin();
    CHECK(clock.isOn());
    const auto begin = monotonicNs();
    gradients(model, size);
    const auto length = monotonicNs() - begin;
    clock.end();
    CHECK_FALSE(clock.isOn());
    auto layers = clock.timings(begin);
    return {std::move(layers), length};
}

/// Within the iteration, forward before backward, ready after it.
void checkPlausible(const Observed& observed)
{
    for (const LayerTiming& layer : observed.layers) {
        CHECK(layer.forwardStartNs >= 0);
        CHECK(layer.forwardNs > 0);
        CHECK(layer.backwardStartNs >= layer.forwardStartNs + layer.forwardNs);
        CHECK(layer.backwardNs > 0);
        CHECK(layer.readyNs >= layer.backwardStartNs);
        CHECK(layer.backwardStartNs + layer.backwardNs <= observed.lengthNs);
        CHECK(layer.readyNs <= observed.lengthNs);
    }
}

} // namespace

TEST_CASE("layers bear the names of their convolutions and products, and own every parameter once")
{
    struct Expected
    {
        const char* model;
        std::size_t layers;
        const char* first;
        const char* last;
    };
    for (const Expected& expected : {Expected{"lenet", 5, "conv1", "fc3"},
                                     {"alexnet", 8, "features.0", "classifier.6"},
                                     {"vgg16", 16, "features.0", "classifier.6"},
                                     {"googlenet", 58, "conv1.conv", "fc"},
                                     {"inceptionv3", 95, "Conv2d_1a_3x3.conv", "fc"},
                                     {"resnet50", 54, "conv1", "fc"}}) {
        INFO(expected.model);
        const auto model = make(expected.model);
        REQUIRE(model->layers().size() == expected.layers);
        CHECK(model->layers().front().name == expected.first);
        CHECK(model->layers().back().name == expected.last);
        std::size_t next = 0;
        std::int64_t bytes = 0;
        for (const Layer& layer : model->layers()) {
            CHECK(layer.firstParameter == next);
            CHECK(layer.parameters > 0);
            next += layer.parameters;
            bytes += model->gradientBytes(layer);
        }
        CHECK(next == model->parameters().size());
        CHECK(bytes == model->gradientBytes());
    }
}

TEST_CASE("layers are passed forward one after the other, and backward the other way")
{
    for (const auto& [name, size] : {std::pair("lenet", 32), std::pair("resnet18", 64), std::pair("googlenet", 64)}) {
        INFO(name);
        const auto model = make(name);
        const Observed observed = observe(*model, size);
        REQUIRE(observed.layers.size() == model->layers().size());
        checkPlausible(observed);
    }
    const auto model = make("lenet"); // has no branches
    const auto layers = observe(*model, 32).layers;
    for (std::size_t i = 1; i < layers.size(); ++i) {
        CHECK(layers[i].forwardStartNs >= layers[i - 1].forwardStartNs + layers[i - 1].forwardNs);
        CHECK(layers[i - 1].backwardStartNs >= layers[i].backwardStartNs + layers[i].backwardNs);
        CHECK(layers[i - 1].readyNs > layers[i].readyNs);
    }
}

TEST_CASE("observing changes no gradient and leaves nothing behind")
{
    const auto model = make("lenet");
    const auto before = gradients(*model, 32);
    LayerClock clock(*model);
    clock.begin();
    const auto during = gradients(*model, 32);
    clock.end();
    const auto layers = clock.timings(0);
    const auto after = gradients(*model, 32);
    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(at::equal(before[i], during[i]));
        CHECK(at::equal(before[i], after[i]));
    }
    clock.end();
    CHECK((clock.timings(0) == layers)); // the third pass was not observed
    clock.begin();
    clock.end();
    CHECK((clock.timings(0) == std::vector<LayerTiming>(5))); // none was passed
}

TEST_CASE("paced layers take the time that they pause")
{
    constexpr std::int64_t pauseNs = 3'000'000;
    const auto real = make("lenet");
    const auto model = makePaced(*real, std::chrono::nanoseconds(pauseNs), 10);
    const Observed observed = observe(*model, 32);
    REQUIRE(observed.layers.size() == 5);
    checkPlausible(observed);
    CHECK(model->layers()[1].name == "conv2");
    CHECK(model->gradientBytes(model->layers()[1]) == 4 * (16 * 6 * 25 + 16));
    for (const LayerTiming& layer : observed.layers) {
        CHECK(layer.forwardNs >= pauseNs);
        CHECK(layer.backwardNs >= 2 * pauseNs);
        CHECK(layer.readyNs >= layer.backwardStartNs + layer.backwardNs); // then comes who keeps the gradient
    }
}
