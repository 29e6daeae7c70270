// SPDX-License-Identifier: MIT
#include "agent/worker/models/normrelu.h"

#include "agent/worker/models/normrelurows.h"
#include "agent/worker/models/poolbarrier.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>
#include <algorithm>
#include <functional>
#include <span>
#include <torch/csrc/autograd/custom_function.h>
#include <vector>

namespace ringside {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// In channels_last order a batch is rows of one number a channel, a row a place of a picture.
struct Rows
{
    explicit Rows(const at::Tensor& x)
        : count(x.size(0) * x.size(2) * x.size(3))
        , channels(x.size(1))
    {
    }

    std::int64_t count, channels;
};

struct Span
{
    std::int64_t begin, end;
};

/// Calls `work` with a part of the rows for each of libtorch's threads, the same parts as its own loops take. Its pool
/// is out of reach but for iterations over tensors: this one is over a tensor of one byte a part.
void inParts(const Rows& rows, const std::function<void(std::int64_t part, Span)>& work)
{
    const std::int64_t parts = at::get_num_threads(), each = (rows.count + parts - 1) / parts;
    at::Tensor marks = at::empty({parts}, at::kByte);
    const auto* first = marks.const_data_ptr<std::uint8_t>();
    at::TensorIterator iteration = at::TensorIterator::nullary_op(marks);
    const auto workOnParts = [&](char** data, const std::int64_t* /*strides*/, std::int64_t size,
                                 std::int64_t /*one row*/) {
        poolbarrier::acquire();
        const auto from = reinterpret_cast<std::uint8_t*>(data[0]) - first;
        for (std::int64_t part = from; part < from + size; ++part)
            work(part, {std::min(rows.count, part * each), std::min(rows.count, (part + 1) * each)});
        poolbarrier::release();
    };
    poolbarrier::release();
    iteration.for_each(workOnParts, /*grain_size=*/1);
    poolbarrier::acquire();
}

std::int64_t size(Span span)
{
    return span.end - span.begin;
}

const float* in(const at::Tensor& numbers, std::int64_t from = 0)
{
    return numbers.defined() ? numbers.const_data_ptr<float>() + from : nullptr;
}

/// Sums over all rows, `kinds` of each channel: `add` adds those of some rows to `sums`. In fp32 over a part, the parts
/// in double precision, as libtorch does it.
std::vector<at::Tensor> sumsOf(const Rows& rows, std::int64_t kinds,
                               const std::function<void(Span, std::span<float* const> sums)>& add)
{
    const at::Tensor ofParts = at::zeros({at::get_num_threads(), kinds, rows.channels});
    inParts(rows, [&](std::int64_t part, Span span) {
        std::vector<float*> sums;
        for (std::int64_t kind = 0; kind < kinds; ++kind)
            sums.push_back(ofParts.data_ptr<float>() + (part * kinds + kind) * rows.channels);
        add(span, sums);
    });
    return ofParts.to(at::kDouble).sum(0).unbind(0);
}

NormFactors factorsOf(const at::Tensor& mean, const at::Tensor& inverse, const at::Tensor& a, const at::Tensor& b,
                      const at::Tensor& scale)
{
    return {in(mean), in(inverse), in(a), in(b), in(scale)};
}

/// Brings the running ones up to date as well.
struct Statistics
{
    at::Tensor mean, inverse;

    Statistics(const at::Tensor& x, const BatchNorm& norm)
    {
        const Rows rows(x);
        const auto count = static_cast<double>(rows.count);
        mean = sumsOf(rows, 1,
                      [&](Span part, std::span<float* const> sums) {
                          addRows(in(x, part.begin * rows.channels), size(part), rows.channels, sums[0]);
                      })[0]
                   .div(count)
                   .to(at::kFloat);
        const at::Tensor squares =
            sumsOf(rows, 1,
                   [&](Span part, std::span<float* const> sums) {
                       addSquares(in(x, part.begin * rows.channels), in(mean), size(part), rows.channels, sums[0]);
                   })[0]
                .to(at::kFloat);
        inverse = squares.div(count).to(at::kDouble).add(norm.epsilon).sqrt().reciprocal().to(at::kFloat);
        norm.runningMean.mul_(1 - norm.momentum).add_(mean, norm.momentum);
        norm.runningVariance.mul_(1 - norm.momentum).add_(squares.div(count - 1), norm.momentum);
    }
};

struct NormRelu : torch::autograd::Function<NormRelu>
{
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& scale,
                              const at::Tensor& shift, const std::optional<at::Tensor>& added, const BatchNorm* norm)
    {
        const Rows rows(x);
        const at::Tensor shortcut = added.value_or(at::Tensor());
        const Statistics batch(x, *norm);
        const at::Tensor a = batch.inverse * scale.detach(), b = at::addcmul(shift.detach(), batch.mean, a, -1);
        const NormFactors factors = factorsOf(batch.mean, batch.inverse, a, b, scale);
        at::Tensor y = at::empty_like(x);
        inParts(rows, [&](std::int64_t, Span part) {
            const std::int64_t from = part.begin * rows.channels;
            writeRelu(in(x, from), in(shortcut, from), factors, size(part), rows.channels, y.data_ptr<float>() + from);
        });
        context->save_for_backward(
            {x, batch.mean, batch.inverse, a, b, scale.detach(), shortcut.defined() ? y : at::Tensor()});
        return y;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &inverse = saved[2], &y = saved[6];
        const NormFactors factors = factorsOf(saved[1], inverse, saved[3], saved[4], saved[5]);
        const at::Tensor after = gradients.front().contiguous(at::MemoryFormat::ChannelsLast);
        const at::Tensor passed = y.defined() ? at::empty_like(x) : at::Tensor();
        const Rows rows(x);
        const auto sums = sumsOf(rows, 2, [&](Span part, std::span<float* const> of) {
            const std::int64_t from = part.begin * rows.channels;
            if (passed.defined())
                writePassed(in(x, from), in(after, from), in(y, from), factors, size(part), rows.channels,
                            passed.data_ptr<float>() + from, of[0], of[1]);
            else
                addPassed(in(x, from), in(after, from), factors, size(part), rows.channels, of[0], of[1]);
        });
        const at::Tensor sum = sums[0].to(at::kFloat), product = sums[1].to(at::kFloat);
        const auto count = static_cast<double>(rows.count);
        const at::Tensor meanPassed = sum.div(count), slope = product.mul(inverse).mul(inverse).div(count);
        at::Tensor toX = at::empty_like(x);
        inParts(rows, [&](std::int64_t, Span part) {
            const std::int64_t from = part.begin * rows.channels;
            const auto write = passed.defined() ? writeGradient : writeReluGradient;
            write(in(x, from), in(passed.defined() ? passed : after, from), factors, in(meanPassed), in(slope),
                  size(part), rows.channels, toX.data_ptr<float>() + from);
        });
        return {toX, product * inverse, sum, passed, {}};
    }
};

bool isOne(const at::Tensor& x, const BatchNorm& norm, const at::Tensor& shortcut)
{
    const bool fits = !shortcut.defined() || (shortcut.sizes() == x.sizes() && shortcut.scalar_type() == at::kFloat);
    return x.is_cpu() && x.scalar_type() == at::kFloat && norm.scale.scalar_type() == at::kFloat && x.dim() == 4 &&
           x.is_contiguous(at::MemoryFormat::ChannelsLast) && !x.is_contiguous() && fits &&
           Rows(x).count > std::max(1, at::get_num_threads());
}

std::optional<at::Tensor> inRows(const at::Tensor& shortcut)
{
    if (!shortcut.defined())
        return std::nullopt;
    return shortcut.contiguous(at::MemoryFormat::ChannelsLast);
}

} // namespace

at::Tensor norm(const at::Tensor& x, const BatchNorm& batchNorm)
{
    constexpr bool training = true, cudnn = true;
    return at::batch_norm(x, batchNorm.scale, batchNorm.shift, batchNorm.runningMean, batchNorm.runningVariance,
                          training, batchNorm.momentum, batchNorm.epsilon, cudnn);
}

at::Tensor normRelu(const at::Tensor& x, const BatchNorm& batchNorm, const at::Tensor& shortcut)
{
    if (isOne(x, batchNorm, shortcut))
        return NormRelu::apply(x, batchNorm.scale, batchNorm.shift, inRows(shortcut), &batchNorm);
    auto y = norm(x, batchNorm);
    if (shortcut.defined())
        y += shortcut;
    return y.relu_();
}

} // namespace ringside
