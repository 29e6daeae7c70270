// SPDX-License-Identifier: MIT
// LeNet-5's layout (Y. LeCun et al., "Gradient-based learning applied to document recognition", Proc. IEEE 86(11),
// 1998) on three channels, with ReLU and max pooling, as in PyTorch's CIFAR-10 tutorial. For tests: an iteration takes
// milliseconds. The average pooling before the classifier makes it work for any size from 28 pixels; at 32 pixels it
// changes nothing.
#include "agent/worker/models/layers.h"
#include "agent/worker/models/models.h"

namespace ringside {

namespace {

constexpr std::int64_t kPooled = 5;

class LeNet : public Model
{
public:
    explicit LeNet(const ModelOptions& options)
        : m_classifier{*this, "fc3", 84, options.classes}
    {
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        auto x = maxPool(m_conv1(images).relu_(), 2, 2);
        x = maxPool(m_conv2(x).relu_(), 2, 2);
        x = at::adaptive_avg_pool2d(x, {kPooled, kPooled}).flatten(1);
        x = m_hidden1(x).relu_();
        x = m_hidden2(x).relu_();
        return m_classifier(x);
    }

private:
    Convolution m_conv1{*this, "conv1", {.in = 3, .out = 6, .kernel = 5}};
    Convolution m_conv2{*this, "conv2", {.in = 6, .out = 16, .kernel = 5}};
    Linear m_hidden1{*this, "fc1", 16 * kPooled* kPooled, 120};
    Linear m_hidden2{*this, "fc2", 120, 84};
    Linear m_classifier;
};

} // namespace

std::unique_ptr<Model> makeLeNet(const ModelOptions& options)
{
    return std::make_unique<LeNet>(options);
}

} // namespace ringside
