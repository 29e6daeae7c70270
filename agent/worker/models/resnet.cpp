// SPDX-License-Identifier: MIT
// ResNets: K. He et al., "Deep Residual Learning for Image Recognition", arXiv:1512.03385, with the stride in the 3×3
// convolution of a bottleneck block ("v1.5"), as torchvision has them.
#include "agent/worker/models/layers.h"
#include "agent/worker/models/models.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace ringside {

namespace {

/// A convolution inside a block.
struct Part
{
    std::int64_t kernel;
    std::int64_t expansion; ///< channels of its output, in widths of the block
    bool strides;           ///< has the block's stride
};

constexpr std::array kBasic = {Part{3, 1, true}, Part{3, 1, false}};
constexpr std::array kBottleneck = {Part{1, 1, false}, Part{3, 1, true}, Part{1, 4, false}};

/// Table 1 of the paper.
struct Depth
{
    int layers;
    std::span<const Part> block;
    std::array<int, 4> blocks; ///< in each stage
};

constexpr std::array kDepths = {
    Depth{18, kBasic, {2, 2, 2, 2}},
    Depth{50, kBottleneck, {3, 4, 6, 3}},
    Depth{101, kBottleneck, {3, 4, 23, 3}},
    Depth{152, kBottleneck, {3, 8, 36, 3}},
};

/// The parts one after the other, added to the input, which is projected where the shape changes.
class Block
{
public:
    Block(Model& model, const std::string& name, std::span<const Part> parts, std::int64_t in, std::int64_t width,
          std::int64_t stride)
    {
        std::int64_t channels = in;
        for (const Part& part : parts) {
            const auto number = std::to_string(m_parts.size() + 1);
            const ConvolutionShape shape{.in = channels,
                                         .out = width * part.expansion,
                                         .kernel = part.kernel,
                                         .stride = part.strides ? stride : 1,
                                         .padding = part.kernel / 2};
            m_parts.emplace_back(model, name + ".conv" + number, name + ".bn" + number, shape);
            channels = shape.out;
        }
        if (stride != 1 || in != channels)
            m_project.emplace(model, name + ".downsample.0", name + ".downsample.1",
                              ConvolutionShape{.in = in, .out = channels, .stride = stride});
    }

    at::Tensor operator()(const at::Tensor& x) const
    {
        at::Tensor y = x;
        for (const auto& part : std::span(m_parts).first(m_parts.size() - 1))
            y = part.relu(y);
        // As late as it can be: gradients come in the reverse order, and plans expect that of registration.
        return m_parts.back().relu(y, m_project ? (*m_project)(x) : x);
    }

private:
    std::vector<NormedConvolution> m_parts;
    std::optional<NormedConvolution> m_project;
};

class ResNet : public Model
{
public:
    ResNet(const Depth& depth, const ModelOptions& options)
        : m_blocks(makeBlocks(*this, depth))
        , m_classifier(*this, "fc", kLastWidth * depth.block.back().expansion, options.classes)
    {
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        auto x = maxPool(m_stem.relu(images), 3, 2, 1);
        for (const auto& block : m_blocks)
            x = block(x);
        return m_classifier(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
    }

private:
    static constexpr std::int64_t kFirstWidth = 64; // doubled by each stage, which halves the picture
    static constexpr std::int64_t kLastWidth = 512;

    static std::vector<Block> makeBlocks(Model& model, const Depth& depth)
    {
        std::vector<Block> blocks;
        std::int64_t in = kFirstWidth;
        for (std::size_t s = 0; s < depth.blocks.size(); ++s)
            for (int b = 0; b < depth.blocks[s]; ++b) {
                const auto name = "layer" + std::to_string(s + 1) + "." + std::to_string(b);
                const std::int64_t width = kFirstWidth << s;
                blocks.emplace_back(model, name, depth.block, in, width, s > 0 && b == 0 ? 2 : 1);
                in = width * depth.block.back().expansion;
            }
        return blocks;
    }

    NormedConvolution m_stem{
        *this, "conv1", "bn1", {.in = 3, .out = kFirstWidth, .kernel = 7, .stride = 2, .padding = 3}};
    std::vector<Block> m_blocks;
    Linear m_classifier;
};

template <int layers> std::unique_ptr<Model> makeResNet(const ModelOptions& options)
{
    constexpr auto depth = std::ranges::find(kDepths, layers, &Depth::layers);
    static_assert(depth != kDepths.end());
    return std::make_unique<ResNet>(*depth, options);
}

} // namespace

std::unique_ptr<Model> makeResNet18(const ModelOptions& options)
{
    return makeResNet<18>(options);
}

std::unique_ptr<Model> makeResNet50(const ModelOptions& options)
{
    return makeResNet<50>(options);
}

std::unique_ptr<Model> makeResNet101(const ModelOptions& options)
{
    return makeResNet<101>(options);
}

std::unique_ptr<Model> makeResNet152(const ModelOptions& options)
{
    return makeResNet<152>(options);
}

} // namespace ringside
