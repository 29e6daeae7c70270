// SPDX-License-Identifier: MIT
// GoogLeNet: C. Szegedy et al., "Going Deeper with Convolutions", arXiv:1409.4842, with batch norm. Names, layout and
// number of parameters, 6,624,904, are torchvision's. So is the branch of 3×3 convolutions in place of the paper's 5×5,
// a known slip that the published weights depend on. The share of dropout is that of the run, whose default, 0.5, is
// the same for all models; the paper has 0.4, torchvision 0.2. The two auxiliary classifiers are left out. With them
// there would be 13,004,888 parameters, and ranks would exchange 52 MB of gradients in place of the 26.5 MB that
// studies of this network's communication count with.
#include "agent/worker/models/layers.h"
#include "agent/worker/models/models.h"

#include <array>
#include <span>

namespace ringside {

namespace {

constexpr Norming kNorming = {narrowNormal, 1e-3};

NormedConvolution makeUnit(Model& model, const std::string& name, const ConvolutionShape& shape)
{
    return {model, name + ".conv", name + ".bn", shape, kNorming};
}

/// A row of table 1 of the paper.
struct InceptionShape
{
    const char* name;
    std::int64_t in, direct, reduced3, spatial3, reduced5, spatial5, pooled;

    constexpr std::int64_t out() const { return direct + spatial3 + spatial5 + pooled; }
};

constexpr std::array kStage3 = {
    InceptionShape{"inception3a", 192, 64, 96, 128, 16, 32, 32},
    InceptionShape{"inception3b", 256, 128, 128, 192, 32, 96, 64},
};
constexpr std::array kStage4 = {
    InceptionShape{"inception4a", 480, 192, 96, 208, 16, 48, 64},
    InceptionShape{"inception4b", 512, 160, 112, 224, 24, 64, 64},
    InceptionShape{"inception4c", 512, 128, 128, 256, 24, 64, 64},
    InceptionShape{"inception4d", 512, 112, 144, 288, 32, 64, 64},
    InceptionShape{"inception4e", 528, 256, 160, 320, 32, 128, 128},
};
constexpr std::array kStage5 = {
    InceptionShape{"inception5a", 832, 256, 160, 320, 32, 128, 128},
    InceptionShape{"inception5b", 832, 384, 192, 384, 48, 128, 128},
};

/// Four branches over the same input, their channels side by side.
class Inception
{
public:
    Inception(Model& model, const InceptionShape& shape)
        : Inception(model, shape.name, shape)
    {
    }

    at::Tensor operator()(const at::Tensor& x) const
    {
        return at::cat({m_direct.relu(x), m_spatial3.relu(m_reduced3.relu(x)), m_spatial5.relu(m_reduced5.relu(x)),
                        m_pooled.relu(maxPool(x, 3, 1, 1, Edge::include))},
                       1);
    }

private:
    Inception(Model& model, const std::string& name, const InceptionShape& s)
        : m_direct(makeUnit(model, name + ".branch1", {.in = s.in, .out = s.direct}))
        , m_reduced3(makeUnit(model, name + ".branch2.0", {.in = s.in, .out = s.reduced3}))
        , m_spatial3(
              makeUnit(model, name + ".branch2.1", {.in = s.reduced3, .out = s.spatial3, .kernel = 3, .padding = 1}))
        , m_reduced5(makeUnit(model, name + ".branch3.0", {.in = s.in, .out = s.reduced5}))
        , m_spatial5(
              makeUnit(model, name + ".branch3.1", {.in = s.reduced5, .out = s.spatial5, .kernel = 3, .padding = 1}))
        , m_pooled(makeUnit(model, name + ".branch4.1", {.in = s.in, .out = s.pooled}))
    {
    }

    NormedConvolution m_direct;
    NormedConvolution m_reduced3;
    NormedConvolution m_spatial3;
    NormedConvolution m_reduced5;
    NormedConvolution m_spatial5;
    NormedConvolution m_pooled;
};

class GoogLeNet : public Model
{
public:
    explicit GoogLeNet(const ModelOptions& options)
        : m_dropout(options.dropout)
        , m_classifier(*this, "fc", kStage5.back().out(), options.classes, {narrowNormal, uniformByFanIn})
    {
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        auto x = maxPool(m_conv1.relu(images), 3, 2, 0, Edge::include);
        x = m_conv3.relu(m_conv2.relu(x));
        x = through(m_stage3, maxPool(x, 3, 2, 0, Edge::include));
        x = through(m_stage4, maxPool(x, 3, 2, 0, Edge::include));
        x = through(m_stage5, maxPool(x, 2, 2, 0, Edge::include));
        return m_classifier(dropout(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1), m_dropout));
    }

private:
    using Stage = std::vector<Inception>;

    static Stage makeStage(Model& model, std::span<const InceptionShape> shapes)
    {
        Stage stage;
        for (const auto& shape : shapes)
            stage.emplace_back(model, shape);
        return stage;
    }

    static at::Tensor through(const Stage& stage, at::Tensor x)
    {
        for (const auto& inception : stage)
            x = inception(x);
        return x;
    }

    double m_dropout;
    NormedConvolution m_conv1 = makeUnit(*this, "conv1", {.in = 3, .out = 64, .kernel = 7, .stride = 2, .padding = 3});
    NormedConvolution m_conv2 = makeUnit(*this, "conv2", {.in = 64, .out = 64});
    NormedConvolution m_conv3 = makeUnit(*this, "conv3", {.in = 64, .out = 192, .kernel = 3, .padding = 1});
    Stage m_stage3 = makeStage(*this, kStage3);
    Stage m_stage4 = makeStage(*this, kStage4);
    Stage m_stage5 = makeStage(*this, kStage5);
    Linear m_classifier;
};

} // namespace

std::unique_ptr<Model> makeGoogLeNet(const ModelOptions& options)
{
    return std::make_unique<GoogLeNet>(options);
}

} // namespace ringside
