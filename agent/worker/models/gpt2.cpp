// SPDX-License-Identifier: MIT
// GPT-2 (A. Radford et al., "Language models are unsupervised multitask learners", 2019), with the sizes, names and
// first weights of GPT2LMHeadModel in Hugging Face's transformers, and 124,439,808 parameters like it: its smallest
// configuration. Products store their weights as in × out, and the output uses the weight of the embedding. There is no
// dropout, as where GPT-2 is trained from the start on data that is seen once.
#include "agent/worker/models/gpt2.h"

#include "agent/worker/models/embedding.h"
#include "agent/worker/models/models.h"

#include <cmath>
#include <deque>

namespace ringside {

namespace {

constexpr double kEpsilon = 1e-5;
constexpr double kDeviation = 0.02;
constexpr std::int64_t kWidening = 4; // of a block's hidden layer

at::Tensor normal(at::IntArrayRef sizes, const Fan&)
{
    return at::empty(sizes).normal_(0, kDeviation);
}

/// The norm of the layer that its model has begun.
class Norm
{
public:
    Norm(Model& model, const std::string& name, std::int64_t width)
        : m_scale(model.add(name + ".weight", at::ones({width})))
        , m_shift(model.add(name + ".bias", at::zeros({width})))
    {
    }
    at::Tensor operator()(const at::Tensor& x) const
    {
        return at::layer_norm(x, m_scale.sizes(), m_scale, m_shift, kEpsilon);
    }

private:
    at::Tensor m_scale;
    at::Tensor m_shift;
};

/// Product with bias, of the layer that its model has begun.
class Product
{
public:
    Product(Model& model, const std::string& name, std::int64_t in, std::int64_t out, double deviation = kDeviation)
        : m_model(&model)
        , m_weight(model.add(name + ".weight", at::empty({in, out}).normal_(0, deviation)))
        , m_bias(model.add(name + ".bias", at::zeros({out})))
    {
    }
    at::Tensor operator()(const at::Tensor& x) const
    {
        const auto y = at::addmm(m_bias, x.reshape({-1, m_weight.size(0)}), m_weight);
        m_model->count(y, m_weight.size(0), x);
        return y.view({x.size(0), x.size(1), m_weight.size(1)});
    }

private:
    Model* m_model;
    at::Tensor m_weight;
    at::Tensor m_bias;
};

/// A norm and the product behind it, which names the layer.
class NormedProduct
{
public:
    NormedProduct(Model& model, const std::string& norm, const std::string& product, std::int64_t in, std::int64_t out)
        : m_model(&model)
        , m_layer(model.beginLayer(product))
        , m_norm(model, norm, in)
        , m_product(model, product, in, out)
    {
    }
    at::Tensor operator()(const at::Tensor& x) const
    {
        m_model->enter(m_layer);
        const auto normed = m_norm(x);
        auto y = m_product(normed);
        m_model->leave(m_layer, normed, y);
        return y;
    }

private:
    Model* m_model;
    std::size_t m_layer;
    Norm m_norm;
    Product m_product;
};

/// Causal attention of several heads and the product that joins them, which names the layer.
class Attention
{
public:
    Attention(Model& model, const std::string& product, const Gpt2Shape& shape, double deviation)
        : m_model(&model)
        , m_layer(model.beginLayer(product))
        , m_heads(shape.heads)
        , m_join(model, product, shape.width, shape.width, deviation)
    {
    }
    /// n × length × width of n × length × (queries, keys, values, each of the width).
    at::Tensor operator()(const at::Tensor& x) const
    {
        constexpr bool causal = true;
        const std::int64_t n = x.size(0), length = x.size(1), width = x.size(2) / 3;
        m_model->enter(m_layer);
        const auto parts = x.view({n, length, 3, m_heads, width / m_heads}).permute({2, 0, 3, 1, 4});
        const auto heads = at::scaled_dot_product_attention(parts[0], parts[1], parts[2], {}, 0, causal);
        m_model->count(n * m_heads * length * length, width / m_heads, 2);
        m_model->count(n * width * length, length, 2);
        auto y = m_join(heads.transpose(1, 2).reshape({n, length, width}));
        m_model->leave(m_layer, heads, y);
        return y;
    }

private:
    Model* m_model;
    std::size_t m_layer;
    std::int64_t m_heads;
    Product m_join;
};

/// The last product of a block's half is added to what goes by.
class Projection
{
public:
    Projection(Model& model, const std::string& name, std::int64_t in, std::int64_t out, double deviation)
        : m_model(&model)
        , m_layer(model.beginLayer(name))
        , m_product(model, name, in, out, deviation)
    {
    }
    at::Tensor operator()(const at::Tensor& x) const
    {
        m_model->enter(m_layer);
        auto y = m_product(x);
        m_model->leave(m_layer, y, y);
        return y;
    }

private:
    Model* m_model;
    std::size_t m_layer;
    Product m_product;
};

/// The more blocks are added up, the smaller each begins.
double addedDeviation(const Gpt2Shape& shape)
{
    return kDeviation / std::sqrt(2 * static_cast<double>(shape.blocks));
}

class Block
{
public:
    Block(Model& model, const std::string& name, const Gpt2Shape& shape)
        : m_queries{model, name + "ln_1", name + "attn.c_attn", shape.width, 3 * shape.width}
        , m_attention{model, name + "attn.c_proj", shape, addedDeviation(shape)}
        , m_hidden{model, name + "ln_2", name + "mlp.c_fc", shape.width, kWidening * shape.width}
        , m_projection{model, name + "mlp.c_proj", kWidening * shape.width, shape.width, addedDeviation(shape)}
    {
    }
    at::Tensor operator()(const at::Tensor& x) const
    {
        const auto attended = x + m_attention(m_queries(x));
        return attended + m_projection(at::gelu(m_hidden(attended), "tanh"));
    }

private:
    NormedProduct m_queries;
    Attention m_attention;
    NormedProduct m_hidden;
    Projection m_projection;
};

/// The last norm, whose parameters are the layer's, and the product with the weight of the embedding.
class Head
{
public:
    Head(Model& model, std::int64_t width)
        : m_model(&model)
        , m_layer(model.beginLayer("lm_head"))
        , m_norm(model, "transformer.ln_f", width)
    {
    }
    at::Tensor operator()(const at::Tensor& x, const at::Tensor& embedding) const
    {
        m_model->enter(m_layer);
        const auto normed = m_norm(x);
        auto y = at::linear(normed, embedding);
        m_model->count(y, embedding.size(1), normed);
        m_model->leave(m_layer, normed, y);
        return y;
    }

private:
    Model* m_model;
    std::size_t m_layer;
    Norm m_norm;
};

class Gpt2 : public Model
{
public:
    explicit Gpt2(const Gpt2Shape& shape)
        : m_words{*this, "transformer.wte", shape.vocabulary, shape.width, normal}
        , m_positions{*this, "transformer.wpe", shape.positions, shape.width, normal}
        , m_blocks(blocksOf(*this, shape))
        , m_head{*this, shape.width}
    {
    }

    at::Tensor forward(const at::Tensor& batch) override
    {
        auto x = m_words(batch); // first, as its parameters come first
        x = x + m_positions(at::arange(batch.size(1), batch.options()));
        for (const Block& block : m_blocks)
            x = block(x);
        return m_head(x, m_words.weight());
    }
    at::Tensor example(std::int64_t size) const override { return exampleSequence(size); }

private:
    static std::deque<Block> blocksOf(Model& model, const Gpt2Shape& shape)
    {
        std::deque<Block> blocks;
        for (std::int64_t i = 0; i < shape.blocks; ++i)
            blocks.emplace_back(model, "transformer.h." + std::to_string(i) + ".", shape);
        return blocks;
    }

    Embedding m_words;
    Embedding m_positions;
    std::deque<Block> m_blocks;
    Head m_head;
};

} // namespace

std::unique_ptr<Model> makeGpt2(const Gpt2Shape& shape)
{
    return std::make_unique<Gpt2>(shape);
}

std::unique_ptr<Model> makeGpt2(const ModelOptions& options)
{
    Gpt2Shape shape;
    shape.vocabulary = options.classes;
    return makeGpt2(shape);
}

} // namespace ringside
