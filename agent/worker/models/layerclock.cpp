// SPDX-License-Identifier: MIT
#include "agent/worker/models/layerclock.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

namespace ringside {

namespace {

using torch::autograd::variable_list;

/// The stamps of a layer. One that a batch passes several times begins with the first and ends with the last.
enum Stamp : std::size_t
{
    forwardStart,
    forwardEnd,
    backwardStart,
    backwardEnd,
    ready,
    kStamps
};

std::size_t stampOf(std::size_t layer, Stamp stamp)
{
    return layer * kStamps + stamp;
}

void putFirst(StampBoard& board, std::size_t stamp)
{
    if (!board.has(stamp))
        board.put(stamp);
}

class StampBefore : public torch::autograd::FunctionPreHook
{
public:
    StampBefore(StampBoard& board, std::size_t stamp)
        : m_board(board)
        , m_stamp(stamp)
    {
    }
    variable_list operator()(const variable_list& gradients) override
    {
        putFirst(m_board, m_stamp);
        return gradients;
    }

private:
    StampBoard& m_board;
    std::size_t m_stamp;
};

class StampAfter : public torch::autograd::FunctionPostHook
{
public:
    StampAfter(StampBoard& board, std::size_t stamp)
        : m_board(board)
        , m_stamp(stamp)
    {
    }
    variable_list operator()(const variable_list& outputs, const variable_list&) override
    {
        m_board.put(m_stamp);
        return outputs;
    }

private:
    StampBoard& m_board;
    std::size_t m_stamp;
};

LayerTiming timingOf(const StampBoard& board, std::size_t layer, std::int64_t zeroNs)
{
    const auto has = [&](Stamp stamp) { return board.has(stampOf(layer, stamp)); };
    const auto at = [&](Stamp stamp) { return board.since(zeroNs, stampOf(layer, stamp)); };
    LayerTiming timing;
    if (has(forwardEnd)) {
        timing.forwardStartNs = at(forwardStart);
        timing.forwardNs = at(forwardEnd) - timing.forwardStartNs;
    }
    if (has(backwardStart) && has(backwardEnd)) {
        timing.backwardStartNs = at(backwardStart);
        timing.backwardNs = at(backwardEnd) - timing.backwardStartNs;
    }
    if (has(ready))
        timing.readyNs = at(ready);
    return timing;
}

} // namespace

/// The node that puts a parameter's gradient where it belongs and then calls the hooks of the aggregation. It lives as
/// long as it is held.
struct LayerClock::Accumulator
{
    std::shared_ptr<torch::autograd::Node> node;
    std::uintptr_t hook;
};

LayerClock::LayerClock(Model& model, c10::Device device)
    : m_model(model)
    , m_board(makeStampBoard(device))
{
}

LayerClock::~LayerClock()
{
    detach();
}

void LayerClock::begin()
{
    detach();
    m_board->clear(m_model.layers().size() * kStamps);
    m_board->zero();
    m_model.observe(this);
    for (std::size_t layer = 0; layer < m_model.layers().size(); ++layer)
        for (std::size_t i = 0; i < m_model.layers()[layer].parameters; ++i) {
            const auto& parameter = m_model.parameters()[m_model.layers()[layer].firstParameter + i];
            auto node = torch::autograd::impl::grad_accumulator(parameter.value);
            const auto hook = node->add_post_hook(std::make_unique<StampAfter>(*m_board, stampOf(layer, ready)));
            m_accumulators.push_back({std::move(node), hook});
        }
}

bool LayerClock::isOn() const
{
    return !m_accumulators.empty();
}

void LayerClock::end()
{
    detach();
}

std::vector<LayerTiming> LayerClock::timings(std::int64_t zeroNs) const
{
    std::vector<LayerTiming> timings;
    for (std::size_t layer = 0; layer < m_model.layers().size(); ++layer)
        timings.push_back(timingOf(*m_board, layer, zeroNs));
    return timings;
}

std::uint64_t LayerClock::stampsPerIteration() const
{
    constexpr std::uint64_t perLayer = 4; // forward and backward, begin and end
    return perLayer * m_model.layers().size() + m_model.parameters().size();
}

void LayerClock::enter(std::size_t layer)
{
    putFirst(*m_board, stampOf(layer, forwardStart));
}

/// Backward goes the other way: it begins with the last operation and ends with the first.
void LayerClock::leave(std::size_t layer, const at::Tensor& first, const at::Tensor& last)
{
    m_board->put(stampOf(layer, forwardEnd));
    if (const auto& node = last.grad_fn())
        node->add_pre_hook(std::make_unique<StampBefore>(*m_board, stampOf(layer, backwardStart)));
    if (const auto& node = first.grad_fn())
        node->add_post_hook(std::make_unique<StampAfter>(*m_board, stampOf(layer, backwardEnd)));
}

void LayerClock::detach()
{
    m_model.observe(nullptr);
    for (const Accumulator& accumulator : m_accumulators)
        accumulator.node->del_post_hook(accumulator.hook);
    m_accumulators.clear();
}

} // namespace ringside
