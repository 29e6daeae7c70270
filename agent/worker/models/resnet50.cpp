// SPDX-License-Identifier: MIT
// ResNet-50: K. He et al., "Deep Residual Learning for Image Recognition", arXiv:1512.03385, with the stride in the 3×3
// convolution of a block ("v1.5"), as torchvision has it.
#include "agent/worker/models/layers.h"
#include "agent/worker/models/models.h"

#include <array>
#include <optional>

namespace ringside {

namespace {

constexpr std::int64_t kExpansion = 4; // a block's output has four times the channels of its inside

/// 1×1 down, 3×3, 1×1 up, added to the input, which is projected where the shape changes.
class Bottleneck
{
public:
    Bottleneck(Model& model, const std::string& name, std::int64_t in, std::int64_t width, std::int64_t stride)
        : m_reduce(model, name + ".conv1", name + ".bn1", {.in = in, .out = width})
        , m_spatial(model, name + ".conv2", name + ".bn2",
                    {.in = width, .out = width, .kernel = 3, .stride = stride, .padding = 1})
        , m_expand(model, name + ".conv3", name + ".bn3", {.in = width, .out = width * kExpansion})
    {
        if (stride != 1 || in != width * kExpansion)
            m_project.emplace(model, name + ".downsample.0", name + ".downsample.1",
                              ConvolutionShape{.in = in, .out = width * kExpansion, .stride = stride});
    }

    at::Tensor operator()(const at::Tensor& x) const
    {
        auto y = m_reduce(x).relu_();
        y = m_spatial(y).relu_();
        y = m_expand(y);
        y += m_project ? (*m_project)(x) : x;
        return y.relu_();
    }

private:
    NormedConvolution m_reduce;
    NormedConvolution m_spatial;
    NormedConvolution m_expand;
    std::optional<NormedConvolution> m_project;
};

struct Stage
{
    int blocks;
    std::int64_t width;
    std::int64_t stride;
};

constexpr std::array kStages = {Stage{3, 64, 1}, Stage{4, 128, 2}, Stage{6, 256, 2}, Stage{3, 512, 2}};

class ResNet50 : public Model
{
public:
    explicit ResNet50(const ModelOptions& options)
        : m_blocks(makeBlocks(*this))
        , m_classifier(*this, "fc", kStages.back().width * kExpansion, options.classes)
    {
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        auto x = maxPool(m_stem(images).relu_(), 3, 2, 1);
        for (const auto& block : m_blocks)
            x = block(x);
        return m_classifier(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
    }

private:
    static std::vector<Bottleneck> makeBlocks(Model& model)
    {
        std::vector<Bottleneck> blocks;
        std::int64_t in = 64;
        for (std::size_t s = 0; s < kStages.size(); ++s)
            for (int b = 0; b < kStages[s].blocks; ++b) {
                const auto name = "layer" + std::to_string(s + 1) + "." + std::to_string(b);
                blocks.emplace_back(model, name, in, kStages[s].width, b == 0 ? kStages[s].stride : 1);
                in = kStages[s].width * kExpansion;
            }
        return blocks;
    }

    NormedConvolution m_stem{*this, "conv1", "bn1", {.in = 3, .out = 64, .kernel = 7, .stride = 2, .padding = 3}};
    std::vector<Bottleneck> m_blocks;
    Linear m_classifier;
};

} // namespace

std::unique_ptr<Model> makeResNet50(const ModelOptions& options)
{
    return std::make_unique<ResNet50>(options);
}

} // namespace ringside
