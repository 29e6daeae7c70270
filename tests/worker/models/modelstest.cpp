// SPDX-License-Identifier: MIT
#include "agent/worker/models/models.h"
#include "agent/worker/models/paced.h"

#include <ATen/ATen.h>
#include <cmath>
#include <doctest/doctest.h>

using namespace ringside;

namespace {

std::unique_ptr<Model> make(std::string_view name)
{
    const auto* entry = findModel(name);
    REQUIRE(entry);
    return entry->make({.classes = entry->classes});
}

at::Tensor logits(Model& model, std::int64_t size)
{
    return model.forward(at::randn({2, 3, size, size}));
}

/// Tokens are of all words.
at::Tensor sequenceLogits(Model& model, std::int64_t length, std::int64_t words)
{
    return model.forward(at::randint(words, {2, length}, at::kLong));
}

} // namespace

TEST_CASE("parameter counts are the published ones")
{
    for (const auto& entry : models()) {
        INFO(entry.name);
        CHECK(entry.make({.classes = entry.classes})->parameterCount() == entry.parameters);
    }
    CHECK(make("alexnet")->parameterCount() == 61'100'840);
    CHECK(make("resnet50")->parameterCount() == 25'557'032);
    CHECK(make("gpt2")->parameterCount() == 124'439'808);
    // An embedding and an output of 10,000 words, and two layers of four gates with torch.nn's two biases.
    CHECK(make("lstm")->parameterCount() == 2 * 10'000 * 650 + 10'000 + 2 * 4 * 650 * (2 * 650 + 2));
}

TEST_CASE("parameters bear the names of the reference implementations")
{
    struct Expected
    {
        const char* model;
        std::size_t tensors;
        std::size_t position;
        const char* name;
    };
    std::string_view made; // to draw weights takes a second
    std::unique_ptr<Model> model;
    for (const Expected& expected : {Expected{"alexnet", 16, 0, "features.0.weight"},
                                     {"googlenet", 173, 0, "conv1.conv.weight"},
                                     {"googlenet", 173, 15, "inception3a.branch2.1.conv.weight"},
                                     {"googlenet", 173, 171, "fc.weight"},
                                     {"inceptionv3", 284, 0, "Conv2d_1a_3x3.conv.weight"},
                                     {"inceptionv3", 284, 33, "Mixed_5b.branch_pool.conv.weight"},
                                     {"inceptionv3", 284, 279, "Mixed_7c.branch_pool.conv.weight"},
                                     {"resnet18", 62, 15, "layer2.0.conv1.weight"},
                                     {"resnet18", 62, 21, "layer2.0.downsample.0.weight"},
                                     {"resnet50", 161, 3, "layer1.0.conv1.weight"},
                                     {"resnet50", 161, 160, "fc.bias"},
                                     {"resnet101", 314, 309, "layer4.2.conv3.weight"},
                                     {"resnet152", 467, 462, "layer4.2.conv3.weight"},
                                     {"gpt2", 148, 0, "transformer.wte.weight"},
                                     {"gpt2", 148, 1, "transformer.wpe.weight"},
                                     {"gpt2", 148, 4, "transformer.h.0.attn.c_attn.weight"},
                                     {"gpt2", 148, 145, "transformer.h.11.mlp.c_proj.bias"},
                                     {"gpt2", 148, 147, "transformer.ln_f.bias"},
                                     {"lstm", 11, 0, "encoder.weight"},
                                     {"lstm", 11, 5, "rnn.weight_ih_l1"},
                                     {"lstm", 11, 10, "decoder.bias"},
                                     {"vgg16", 32, 24, "features.28.weight"},
                                     {"vgg16", 32, 26, "classifier.0.weight"}}) {
        if (expected.model != made) {
            model = make(expected.model);
            made = expected.model;
        }
        CHECK(model->parameters().size() == expected.tensors);
        CHECK(model->parameters().at(expected.position).name == expected.name);
    }
}

/// In thousands of millions of multiply-adds, as torchvision 0.26 gives them with its weights; their last digit is
/// rounded.
TEST_CASE("the work of an image is the published one")
{
    struct Published
    {
        const char* model;
        double multiplyAdds;
        double tolerance;
        std::int64_t size = 224; ///< pixels
    };
    for (const auto& [name, multiplyAdds, tolerance, size] : {Published{"alexnet", 0.714, 0.0005},
                                                              {"googlenet", 1.498, 0.0005},
                                                              {"inceptionv3", 5.713, 0.0005, 299},
                                                              {"resnet18", 1.814, 0.0005},
                                                              {"resnet50", 4.089, 0.0005},
                                                              {"resnet101", 7.801, 0.0005},
                                                              {"resnet152", 11.514, 0.0005},
                                                              {"vgg16", 15.47, 0.005}}) {
        INFO(name);
        const Work work = make(name)->workPerItem(size);
        CHECK(std::abs(static_cast<double>(work.forward) / 2e9 - multiplyAdds) <= tolerance);
    }
}

TEST_CASE("backward is twice forward, less the gradient of the images")
{
    // LeNet's first convolution gives 28 × 28 numbers on each of 6 channels, each a sum of 3 · 5 · 5 products.
    constexpr std::int64_t first = 2 * 28 * 28 * 6 * 75;
    constexpr std::int64_t second = 2 * 10 * 10 * 16 * 150;
    constexpr std::int64_t linear = 2 * (400 * 120 + 120 * 84 + 84 * 10);
    const auto model = make("lenet");
    const Work work = model->workPerItem(32);
    CHECK(work.forward == first + second + linear);
    CHECK(work.backward == 2 * work.forward - first);
    CHECK(model->workPerItem(32) == work);
    CHECK(model->workPerItem(64).forward > 4 * (work.forward - linear));
}

TEST_CASE("counting the work leaves the random numbers as they were")
{
    const auto model = make("alexnet"); // has dropout
    at::manual_seed(3);
    const auto expected = at::rand({4});
    at::manual_seed(3);
    CHECK(model->workPerItem(64).forward > 0);
    CHECK(at::equal(at::rand({4}), expected));
}

TEST_CASE("a paced model has the layers and the parameters of the real one, and takes their time")
{
    for (const auto& [name, layers] :
         {std::pair("lenet", 5u), std::pair("alexnet", 8u), std::pair("vgg16", 16u), std::pair("resnet18", 41u),
          std::pair("googlenet", 115u), std::pair("inceptionv3", 189u), std::pair("gpt2", 75u), std::pair("lstm", 4u)})
        CHECK(layersOf(make(name)->parameters()).size() == layers);
    const auto real = make("lenet");
    const auto paced = makePaced(*real, std::chrono::milliseconds(5), 10);
    REQUIRE(paced->parameters().size() == real->parameters().size());
    CHECK(paced->parameterCount() == real->parameterCount());
    const auto timed = [](const auto& work) {
        const auto began = std::chrono::steady_clock::now();
        work();
        return std::chrono::steady_clock::now() - began;
    };
    at::Tensor sum;
    CHECK(timed([&] { sum = logits(*paced, 32).sum(); }) >= std::chrono::milliseconds(5 * 5));
    CHECK(timed([&] { sum.backward(); }) >= std::chrono::milliseconds(5 * 10));
    for (std::size_t i = 0; i < paced->parameters().size(); ++i) {
        const Parameter& parameter = paced->parameters()[i];
        CHECK(parameter.name == real->parameters()[i].name);
        REQUIRE(parameter.value.grad().defined());
        CHECK(parameter.value.grad().sizes() == parameter.value.sizes());
        CHECK(parameter.value.grad().abs().max().item<float>() > 0);
    }
}

TEST_CASE("a model takes images from its smallest size on")
{
    for (const auto& entry : models()) {
        INFO(entry.name);
        if (takesTokens(entry))
            continue;
        const auto model = make(entry.name);
        CHECK(model->workPerItem(entry.smallestImage).forward > 0);
        for (const int size : {entry.smallestImage, 128})
            CHECK(logits(*model, size).sizes() == at::IntArrayRef({2, entry.classes}));
    }
}

TEST_CASE("a model of text tells the next word of every position")
{
    for (const auto& entry : models()) {
        INFO(entry.name);
        if (!takesTokens(entry))
            continue;
        const auto model = make(entry.name);
        for (const int length : {1, 24})
            CHECK(sequenceLogits(*model, length, entry.classes).sizes() == at::IntArrayRef({2, length, entry.classes}));
    }
}

TEST_CASE("the work of a sequence counts every product of every position")
{
    // Forward and backward are 6 N + 12 L H Q T a token, with N parameters of the products, L blocks, H heads of Q
    // numbers and T tokens (A. Chowdhery et al., "PaLM", 2022, appendix B).
    constexpr std::int64_t length = 24;
    constexpr std::int64_t transformer = 12 * 12 * 768 * 768 + 50'257 * 768;
    const Work gpt2 = make("gpt2")->workPerItem(length);
    CHECK(gpt2.total() == length * (6 * transformer + 12 * 12 * 768 * length));
    CHECK(gpt2.backward == 2 * gpt2.forward);
    const Work lstm = make("lstm")->workPerItem(length);
    CHECK(lstm.forward == 2 * length * (2 * 4 * 650 * 2 * 650 + 10'000 * 650));
    CHECK(lstm.backward == 2 * lstm.forward);
}

TEST_CASE("channels_last changes the order in memory and not the result")
{
    at::manual_seed(1);
    const auto model = make("lenet");
    const auto images = at::randn({2, 3, 32, 32});
    const auto before = model->forward(images);
    model->toChannelsLast();
    CHECK(model->parameters()[0].value.is_contiguous(at::MemoryFormat::ChannelsLast));
    const auto after = model->forward(images.contiguous(at::MemoryFormat::ChannelsLast));
    CHECK(at::allclose(before, after, 1e-4, 1e-5));
}

TEST_CASE("the same seed gives the same weights")
{
    at::manual_seed(7);
    const auto a = make("lenet");
    at::manual_seed(7);
    const auto b = make("lenet");
    at::manual_seed(8);
    const auto c = make("lenet");
    CHECK(at::equal(a->parameters()[0].value, b->parameters()[0].value));
    CHECK_FALSE(at::equal(a->parameters()[0].value, c->parameters()[0].value));
}
