// SPDX-License-Identifier: MIT
// VGG-16: K. Simonyan and A. Zisserman, "Very Deep Convolutional Networks for Large-Scale Image Recognition",
// arXiv:1409.1556, configuration D without batch norm, as torchvision has it. The average pooling before the classifier
// makes it work for other sizes than 224; there it changes nothing.
#include "agent/worker/models/layers.h"
#include "agent/worker/models/models.h"

#include <array>

namespace ringside {

namespace {

struct Stage
{
    int convolutions;
    std::int64_t channels;
};

constexpr std::array kStages = {Stage{2, 64}, Stage{2, 128}, Stage{3, 256}, Stage{3, 512}, Stage{3, 512}};
constexpr std::int64_t kPooled = 7;
constexpr std::int64_t kHidden = 4096;
constexpr Initials kConvolutionInitials = {normalByFanOut, zeros};
constexpr Initials kLinearInitials = {narrowNormal, zeros};

class Vgg16 : public Model
{
public:
    explicit Vgg16(const ModelOptions& options)
        : m_dropout(options.dropout)
        , m_stages(makeStages(*this))
        , m_hidden1(*this, "classifier.0", kStages.back().channels * kPooled * kPooled, kHidden, kLinearInitials)
        , m_hidden2(*this, "classifier.3", kHidden, kHidden, kLinearInitials)
        , m_classifier(*this, "classifier.6", kHidden, options.classes, kLinearInitials)
    {
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        at::Tensor x = images;
        for (const auto& stage : m_stages) {
            for (const auto& convolution : stage)
                x = convolution(x).relu_();
            x = maxPool(x, 2, 2);
        }
        x = at::adaptive_avg_pool2d(x, {kPooled, kPooled}).flatten(1);
        x = dropout(m_hidden1(x).relu_(), m_dropout);
        x = dropout(m_hidden2(x).relu_(), m_dropout);
        return m_classifier(x);
    }

private:
    using Convolutions = std::vector<Convolution>;

    /// Their numbers in the names count what has no parameters, too: a ReLU after each, a pooling after each stage.
    static std::vector<Convolutions> makeStages(Model& model)
    {
        std::vector<Convolutions> stages;
        std::int64_t in = 3;
        int number = 0;
        for (const Stage& stage : kStages) {
            auto& convolutions = stages.emplace_back();
            for (int i = 0; i < stage.convolutions; ++i, number += 2) {
                const ConvolutionShape shape{.in = in, .out = stage.channels, .kernel = 3, .padding = 1};
                convolutions.emplace_back(model, "features." + std::to_string(number), shape, kConvolutionInitials);
                in = stage.channels;
            }
            ++number;
        }
        return stages;
    }

    double m_dropout;
    std::vector<Convolutions> m_stages;
    Linear m_hidden1;
    Linear m_hidden2;
    Linear m_classifier;
};

} // namespace

std::unique_ptr<Model> makeVgg16(const ModelOptions& options)
{
    return std::make_unique<Vgg16>(options);
}

} // namespace ringside
