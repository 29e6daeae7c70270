// SPDX-License-Identifier: MIT
// AlexNet with one tower: A. Krizhevsky, "One weird trick for parallelizing convolutional neural networks",
// arXiv:1404.5997, as torchvision has it. The average pooling before the classifier makes it work for other sizes than
// 224.
#include "agent/worker/models/layers.h"
#include "agent/worker/models/models.h"

namespace ringside {

namespace {

constexpr std::int64_t kPooled = 6;

class AlexNet : public Model
{
public:
    explicit AlexNet(const ModelOptions& options)
        : m_dropout(options.dropout)
        , m_classifier{*this, "classifier.6", 4096, options.classes}
    {
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        auto x = maxPool(m_conv1(images).relu_(), 3, 2);
        x = maxPool(m_conv2(x).relu_(), 3, 2);
        x = m_conv3(x).relu_();
        x = m_conv4(x).relu_();
        x = maxPool(m_conv5(x).relu_(), 3, 2);
        x = at::adaptive_avg_pool2d(x, {kPooled, kPooled}).flatten(1);
        x = m_hidden1(dropout(x, m_dropout)).relu_();
        x = m_hidden2(dropout(x, m_dropout)).relu_();
        return m_classifier(x);
    }

private:
    double m_dropout;
    Convolution m_conv1{*this, "features.0", {.in = 3, .out = 64, .kernel = 11, .stride = 4, .padding = 2}};
    Convolution m_conv2{*this, "features.3", {.in = 64, .out = 192, .kernel = 5, .stride = 1, .padding = 2}};
    Convolution m_conv3{*this, "features.6", {.in = 192, .out = 384, .kernel = 3, .stride = 1, .padding = 1}};
    Convolution m_conv4{*this, "features.8", {.in = 384, .out = 256, .kernel = 3, .stride = 1, .padding = 1}};
    Convolution m_conv5{*this, "features.10", {.in = 256, .out = 256, .kernel = 3, .stride = 1, .padding = 1}};
    Linear m_hidden1{*this, "classifier.1", 256 * kPooled* kPooled, 4096};
    Linear m_hidden2{*this, "classifier.4", 4096, 4096};
    Linear m_classifier;
};

} // namespace

std::unique_ptr<Model> makeAlexNet(const ModelOptions& options)
{
    return std::make_unique<AlexNet>(options);
}

} // namespace ringside
