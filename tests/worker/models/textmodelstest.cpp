// SPDX-License-Identifier: MIT
// The models of text against the same formulas written out number by number in double precision, with gradients by
// autograd of elementary operations.
#include "agent/worker/models/gpt2.h"
#include "agent/worker/models/layerclock.h"
#include "agent/worker/models/lstm.h"
#include "core/base/clock.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <map>
#include <numbers>

using namespace ringside;

namespace {

constexpr std::int64_t kWords = 11;
constexpr Gpt2Shape kGpt2{.vocabulary = kWords, .positions = 7, .width = 12, .heads = 3, .blocks = 2};
constexpr LstmShape kLstm{.vocabulary = kWords, .width = 6, .layers = 2, .dropout = 0};

using Weights = std::map<std::string, at::Tensor>;

std::unique_ptr<Model> seeded(const std::function<std::unique_ptr<Model>()>& make)
{
    at::manual_seed(3);
    auto model = make();
    const at::NoGradGuard noGrad;
    for (const Parameter& parameter : model->parameters()) // zeros and ones would hide what is not added or multiplied
        at::Tensor(parameter.value).add_(at::randn_like(parameter.value), 0.3);
    return model;
}

at::Tensor tokens(std::int64_t n, std::int64_t length)
{
    at::manual_seed(4);
    return at::randint(kWords, {n, length}, at::kLong);
}

Weights inDouble(const Model& model)
{
    Weights weights;
    for (const Parameter& parameter : model.parameters())
        weights[parameter.name] = parameter.value.detach().to(at::kDouble).requires_grad_(true);
    return weights;
}

at::Tensor rowsOf(const at::Tensor& table, const at::Tensor& rows)
{
    return table.index_select(0, rows.flatten()).view({rows.size(0), rows.size(1), table.size(1)});
}

at::Tensor normed(const at::Tensor& x, const Weights& weights, const std::string& name)
{
    const auto centred = x - x.mean(-1, true);
    const auto deviation = (centred.square().mean(-1, true) + 1e-5).sqrt();
    return centred / deviation * weights.at(name + ".weight") + weights.at(name + ".bias");
}

at::Tensor product(const at::Tensor& x, const Weights& weights, const std::string& name)
{
    return x.matmul(weights.at(name + ".weight")) + weights.at(name + ".bias");
}

/// Each position by itself, over what comes before it.
at::Tensor attended(const at::Tensor& x, std::int64_t heads)
{
    const std::int64_t width = x.size(2) / 3, part = width / heads;
    std::vector<at::Tensor> positions;
    for (std::int64_t t = 0; t < x.size(1); ++t) {
        std::vector<at::Tensor> joined;
        for (std::int64_t head = 0; head < heads; ++head) {
            const auto query = x.select(1, t).slice(1, head * part, (head + 1) * part).unsqueeze(1);
            const auto keys = x.slice(1, 0, t + 1).slice(2, width + head * part, width + (head + 1) * part);
            const auto values = x.slice(1, 0, t + 1).slice(2, 2 * width + head * part, 2 * width + (head + 1) * part);
            const auto scores = ((query * keys).sum(-1) / std::sqrt(static_cast<double>(part))).exp();
            const auto shares = scores / scores.sum(-1, true);
            joined.push_back((shares.unsqueeze(-1) * values).sum(1));
        }
        positions.push_back(at::cat(joined, 1));
    }
    return at::stack(positions, 1);
}

at::Tensor smoothed(const at::Tensor& x)
{
    const double factor = std::sqrt(2 / std::numbers::pi);
    return 0.5 * x * (1 + (factor * (x + 0.044715 * x * x * x)).tanh());
}

at::Tensor gpt2Logits(const Weights& weights, const at::Tensor& batch)
{
    const auto& words = weights.at("transformer.wte.weight");
    auto x = rowsOf(words, batch) + weights.at("transformer.wpe.weight").slice(0, 0, batch.size(1));
    for (std::int64_t i = 0; i < kGpt2.blocks; ++i) {
        const std::string block = "transformer.h." + std::to_string(i) + ".";
        const auto queries = product(normed(x, weights, block + "ln_1"), weights, block + "attn.c_attn");
        x = x + product(attended(queries, kGpt2.heads), weights, block + "attn.c_proj");
        const auto hidden = smoothed(product(normed(x, weights, block + "ln_2"), weights, block + "mlp.c_fc"));
        x = x + product(hidden, weights, block + "mlp.c_proj");
    }
    return normed(x, weights, "transformer.ln_f").matmul(words.t());
}

/// i, f, g and o of torch.nn.LSTM's documentation.
at::Tensor lstmOutputs(const Weights& weights, const at::Tensor& x, const std::string& layer)
{
    const std::int64_t width = x.size(2);
    auto hidden = at::zeros({x.size(0), width}, at::kDouble), cell = hidden;
    std::vector<at::Tensor> outputs;
    for (std::int64_t t = 0; t < x.size(1); ++t) {
        const auto gates = x.select(1, t).matmul(weights.at("rnn.weight_ih" + layer).t()) +
                           weights.at("rnn.bias_ih" + layer) + hidden.matmul(weights.at("rnn.weight_hh" + layer).t()) +
                           weights.at("rnn.bias_hh" + layer);
        const auto gate = [&](std::int64_t i) { return gates.slice(1, i * width, (i + 1) * width); };
        cell = gate(1).sigmoid() * cell + gate(0).sigmoid() * gate(2).tanh();
        hidden = gate(3).sigmoid() * cell.tanh();
        outputs.push_back(hidden);
    }
    return at::stack(outputs, 1);
}

at::Tensor lstmLogits(const Weights& weights, const at::Tensor& batch)
{
    auto x = rowsOf(weights.at("encoder.weight"), batch);
    for (const char* layer : {"_l0", "_l1"})
        x = lstmOutputs(weights, x, layer);
    return x.matmul(weights.at("decoder.weight").t()) + weights.at("decoder.bias");
}

double relativeError(const at::Tensor& found, const at::Tensor& right)
{
    return ((found.to(at::kDouble) - right).norm() / right.norm()).item<double>();
}

void compare(Model& model, at::Tensor (*logits)(const Weights&, const at::Tensor&))
{
    const auto batch = tokens(3, 7);
    auto weights = inDouble(model);
    const auto right = logits(weights, batch);
    const auto found = model.forward(batch);
    REQUIRE(found.sizes() == at::IntArrayRef({3, 7, kWords}));
    CHECK(relativeError(found.detach(), right.detach()) < 1e-5);
    const auto direction = at::randn({3, 7, kWords}, at::kDouble);
    (right * direction).sum().backward();
    (found * direction.to(at::kFloat)).sum().backward();
    for (const Parameter& parameter : model.parameters()) {
        INFO(parameter.name);
        REQUIRE(parameter.value.grad().defined());
        CHECK(relativeError(parameter.value.grad(), weights.at(parameter.name).grad()) < 1e-4);
    }
}

/// Logits of the positions before `changed` stay, and those from there on do not.
void checkCausal(Model& model)
{
    constexpr std::int64_t changed = 4;
    auto batch = tokens(2, 7);
    const auto before = model.forward(batch);
    batch.select(1, changed).add_(1).remainder_(kWords);
    const auto after = model.forward(batch);
    CHECK(at::allclose(before.slice(1, 0, changed), after.slice(1, 0, changed), 1e-5, 1e-6));
    for (std::int64_t t = changed; t < 7; ++t)
        CHECK_FALSE(at::allclose(before.select(1, t), after.select(1, t), 1e-3, 1e-4));
}

std::vector<LayerTiming> observed(Model& model)
{
    model.forward(tokens(2, 7)).square().mean().backward(); // the first has memory to get
    for (const Parameter& parameter : model.parameters())
        parameter.value.mutable_grad().reset();
    LayerClock clock(model);
    clock.begin();
    const auto began = monotonicNs();
    model.forward(tokens(2, 7)).square().mean().backward();
    clock.end();
    return clock.timings(began);
}

/// One after the other forward, and the other way backward; each ready before those in front of it.
void checkLayers(Model& model, const std::vector<std::string>& names)
{
    const auto layers = observed(model);
    REQUIRE(model.layers().size() == names.size());
    REQUIRE(layers.size() == names.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        INFO(names[i]);
        CHECK(model.layers()[i].name == names[i]);
        CHECK(model.layers()[i].firstParameter == next);
        next += model.layers()[i].parameters;
        CHECK(layers[i].forwardNs > 0);
        CHECK(layers[i].backwardNs > 0);
        CHECK(layers[i].readyNs >= layers[i].backwardStartNs);
        if (i == 0)
            continue;
        CHECK(layers[i].forwardStartNs >= layers[i - 1].forwardStartNs + layers[i - 1].forwardNs);
        CHECK(layers[i - 1].backwardStartNs >= layers[i].backwardStartNs);
        CHECK(layers[0].readyNs >= layers[i].readyNs);
    }
    CHECK(next == model.parameters().size());
}

} // namespace

TEST_CASE("a small GPT-2 gives the numbers and the gradients of its formulas")
{
    compare(*seeded([] { return makeGpt2(kGpt2); }), gpt2Logits);
}

TEST_CASE("a small LSTM gives the numbers and the gradients of its formulas")
{
    compare(*seeded([] { return makeLstm(kLstm); }), lstmLogits);
}

TEST_CASE("what a model of text says of a position depends on no later one")
{
    checkCausal(*seeded([] { return makeGpt2(kGpt2); }));
    checkCausal(*seeded([] { return makeLstm(kLstm); }));
}

TEST_CASE("layers of models of text are passed in the order of their parameters, and the shared weight is ready last")
{
    checkLayers(*seeded([] { return makeGpt2(kGpt2); }),
                {"transformer.wte", "transformer.wpe", "transformer.h.0.attn.c_attn", "transformer.h.0.attn.c_proj",
                 "transformer.h.0.mlp.c_fc", "transformer.h.0.mlp.c_proj", "transformer.h.1.attn.c_attn",
                 "transformer.h.1.attn.c_proj", "transformer.h.1.mlp.c_fc", "transformer.h.1.mlp.c_proj", "lm_head"});
    checkLayers(*seeded([] { return makeLstm(kLstm); }), {"encoder", "rnn.l0", "rnn.l1", "decoder"});
}

TEST_CASE("the LSTM drops out what goes from layer to layer, and by chance")
{
    LstmShape shape = kLstm;
    shape.dropout = 0.5;
    const auto model = seeded([&] { return makeLstm(shape); });
    const auto batch = tokens(2, 7);
    CHECK_FALSE(at::allclose(model->forward(batch), model->forward(batch)));
}
