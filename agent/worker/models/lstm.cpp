// SPDX-License-Identifier: MIT
// The "medium" language model of W. Zaremba, I. Sutskever and O. Vinyals, "Recurrent neural network regularization",
// 2014: two LSTM layers of 650 units over a vocabulary of 10,000 words, dropout between layers only, first weights
// U(-0.05, 0.05). Layers are torch.nn.LSTM's, with two biases a gate and so 19,780,400 parameters; with one, as in the
// paper, they would be 5,200 fewer ("20M" in either case: O. Press and L. Wolf, "Using the output embedding to improve
// language models", 2017). Every sequence starts from a state of zeros.
#include "agent/worker/models/lstm.h"

#include "agent/worker/models/embedding.h"
#include "agent/worker/models/models.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <deque>

namespace ringside {

namespace {

constexpr double kBound = 0.05;
constexpr std::int64_t kGates = 4;
constexpr bool kBidirectional = false, kBatchFirst = true;

at::Tensor uniform(at::IntArrayRef sizes, const Fan&)
{
    return at::empty(sizes).uniform_(-kBound, kBound);
}

/// Casts to the numbers that autocast computes with. libtorch chooses its LSTM by its input: it tests whether the
/// processor has kernels of bf16 where the input is bf16, and not where autocast casts it afterwards. On one without
/// AVX-512 it then finds none.
at::Tensor inNumbersOfAutocast(const at::Tensor& x)
{
    return x.is_cpu() && at::autocast::is_autocast_enabled(at::kCPU) ? x.to(at::autocast::get_autocast_dtype(at::kCPU))
                                                                     : x;
}

class LstmLayer
{
public:
    LstmLayer(Model& model, int layer, std::int64_t width)
        : m_model(&model)
        , m_layer(model.beginLayer("rnn.l" + std::to_string(layer)))
    {
        const auto add = [&](const std::string& name, at::IntArrayRef sizes) {
            m_weights.push_back(model.add("rnn." + name + "_l" + std::to_string(layer), uniform(sizes, {})));
        };
        add("weight_ih", {kGates * width, width});
        add("weight_hh", {kGates * width, width});
        add("bias_ih", {kGates * width});
        add("bias_hh", {kGates * width});
    }
    /// One piece of memory for all four, as cuDNN computes with: it would make one in every pass otherwise, and say so.
    void settle()
    {
        constexpr std::int64_t cudnnLstm = 2; // CUDNN_LSTM
        const auto width = m_weights.front().size(1);
        if (m_weights.front().is_cuda() && at::globalContext().userEnabledCuDNN())
            at::_cudnn_rnn_flatten_weight(m_weights, std::int64_t(m_weights.size()), width, cudnnLstm, width,
                                          /*proj_size=*/0, /*num_layers=*/1, kBatchFirst, kBidirectional);
    }
    /// n × length × width.
    at::Tensor operator()(const at::Tensor& x) const
    {
        constexpr bool biases = true, training = true;
        const std::int64_t width = m_weights.front().size(1);
        m_model->enter(m_layer);
        const auto begin = x.alias(); // a node of the graph that backward passes last
        const auto state = at::zeros({1, x.size(0), width}, x.device());
        auto y = std::get<0>(at::lstm(inNumbersOfAutocast(begin), {state, state}, m_weights, biases, 1, 0, training,
                                      kBidirectional, kBatchFirst));
        m_model->count(x.size(0) * x.size(1) * kGates * width, 2 * width, 2);
        m_model->leave(m_layer, begin, y);
        return y;
    }

private:
    Model* m_model;
    std::size_t m_layer;
    std::vector<at::Tensor> m_weights; ///< in torch.nn's order
};

class Lstm : public Model
{
public:
    explicit Lstm(const LstmShape& shape)
        : m_dropout(shape.dropout)
        , m_words{*this, "encoder", shape.vocabulary, shape.width, uniform}
        , m_layers(layersOf(*this, shape))
        , m_head{*this, "decoder", shape.width, shape.vocabulary, {.weight = uniform, .bias = uniform}}
    {
    }

    at::Tensor forward(const at::Tensor& batch) override
    {
        auto x = dropout(m_words(batch), m_dropout);
        for (const LstmLayer& layer : m_layers)
            x = dropout(layer(x), m_dropout);
        return m_head(x);
    }
    at::Tensor example(std::int64_t size) const override { return exampleSequence(size); }

private:
    void settle() override
    {
        const at::NoGradGuard noGraph;
        for (LstmLayer& layer : m_layers)
            layer.settle();
    }
    static std::deque<LstmLayer> layersOf(Model& model, const LstmShape& shape)
    {
        std::deque<LstmLayer> layers;
        for (int i = 0; i < shape.layers; ++i)
            layers.emplace_back(model, i, shape.width);
        return layers;
    }

    double m_dropout;
    Embedding m_words;
    std::deque<LstmLayer> m_layers;
    Linear m_head;
};

} // namespace

std::unique_ptr<Model> makeLstm(const LstmShape& shape)
{
    return std::make_unique<Lstm>(shape);
}

std::unique_ptr<Model> makeLstm(const ModelOptions& options)
{
    return makeLstm(LstmShape{.vocabulary = options.classes, .dropout = options.dropout});
}

} // namespace ringside
