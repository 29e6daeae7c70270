// SPDX-License-Identifier: MIT
#include "agent/worker/models/layerclock.h"

#include "core/base/clock.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

namespace ringside {

namespace {

using torch::autograd::variable_list;

/// A layer that a batch passes several times begins with the first …
class StampBefore : public torch::autograd::FunctionPreHook
{
public:
    explicit StampBefore(std::int64_t& at)
        : m_at(at)
    {
    }
    variable_list operator()(const variable_list& gradients) override
    {
        if (m_at == 0)
            m_at = monotonicNs();
        return gradients;
    }

private:
    std::int64_t& m_at;
};

/// … and ends with the last.
class StampAfter : public torch::autograd::FunctionPostHook
{
public:
    explicit StampAfter(std::int64_t& at)
        : m_at(at)
    {
    }
    variable_list operator()(const variable_list& outputs, const variable_list&) override
    {
        m_at = monotonicNs();
        return outputs;
    }

private:
    std::int64_t& m_at;
};

LayerTiming relative(std::int64_t forwardStart, std::int64_t forwardEnd, std::int64_t backwardStart,
                     std::int64_t backwardEnd, std::int64_t ready, std::int64_t zero)
{
    LayerTiming timing;
    if (forwardEnd != 0) {
        timing.forwardStartNs = forwardStart - zero;
        timing.forwardNs = forwardEnd - forwardStart;
    }
    if (backwardStart != 0 && backwardEnd != 0) {
        timing.backwardStartNs = backwardStart - zero;
        timing.backwardNs = backwardEnd - backwardStart;
    }
    if (ready != 0)
        timing.readyNs = ready - zero;
    return timing;
}

} // namespace

/// The node that puts a parameter's gradient where it belongs and then calls the hooks of the aggregation. It lives as
/// long as somebody holds it.
struct LayerClock::Accumulator
{
    std::shared_ptr<torch::autograd::Node> node;
    std::uintptr_t hook;
};

LayerClock::LayerClock(Model& model)
    : m_model(model)
    , m_stamps(model.layers().size())
{
}

LayerClock::~LayerClock()
{
    detach();
}

void LayerClock::begin()
{
    detach();
    m_stamps.assign(m_stamps.size(), {});
    m_model.observe(this);
    for (std::size_t layer = 0; layer < m_stamps.size(); ++layer)
        for (std::size_t i = 0; i < m_model.layers()[layer].parameters; ++i) {
            const auto& parameter = m_model.parameters()[m_model.layers()[layer].firstParameter + i];
            auto node = torch::autograd::impl::grad_accumulator(parameter.value);
            const auto hook = node->add_post_hook(std::make_unique<StampAfter>(m_stamps[layer].ready));
            m_accumulators.push_back({std::move(node), hook});
        }
}

bool LayerClock::isOn() const
{
    return !m_accumulators.empty();
}

std::vector<LayerTiming> LayerClock::end(std::int64_t iterationStartNs)
{
    detach();
    std::vector<LayerTiming> timings;
    for (const Stamps& stamps : m_stamps)
        timings.push_back(relative(stamps.forwardStart, stamps.forwardEnd, stamps.backwardStart, stamps.backwardEnd,
                                   stamps.ready, iterationStartNs));
    return timings;
}

std::uint64_t LayerClock::stampsPerIteration() const
{
    constexpr std::uint64_t perLayer = 4; // forward and backward, begin and end
    return perLayer * m_stamps.size() + m_model.parameters().size();
}

void LayerClock::enter(std::size_t layer)
{
    if (m_stamps[layer].forwardStart == 0)
        m_stamps[layer].forwardStart = monotonicNs();
}

/// Backward goes the other way: it begins with the last operation and ends with the first.
void LayerClock::leave(std::size_t layer, const at::Tensor& first, const at::Tensor& last)
{
    Stamps& stamps = m_stamps[layer];
    stamps.forwardEnd = monotonicNs();
    if (const auto& node = last.grad_fn())
        node->add_pre_hook(std::make_unique<StampBefore>(stamps.backwardStart));
    if (const auto& node = first.grad_fn())
        node->add_post_hook(std::make_unique<StampAfter>(stamps.backwardEnd));
}

void LayerClock::detach()
{
    m_model.observe(nullptr);
    for (const Accumulator& accumulator : m_accumulators)
        accumulator.node->del_post_hook(accumulator.hook);
    m_accumulators.clear();
}

} // namespace ringside
