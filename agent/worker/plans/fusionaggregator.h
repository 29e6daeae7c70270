// SPDX-License-Identifier: MIT
// Tensor fusion: once a cycle, what all ranks have ready travels together, up to a threshold (Sergeev and Del Balso,
// "Horovod: fast and easy distributed deep learning in TensorFlow", arXiv 1802.05799, section 4).
#pragma once

#include "agent/worker/plans/aggregator.h"
#include "agent/worker/plans/agreeingthread.h"
#include "agent/worker/plans/gradienthooks.h"
#include "agent/worker/plans/gradientstage.h"

#include <memory>

namespace ringside {

/// Messages of one cycle, each filled with units in their order up to `threshold` bytes; a larger unit is one by
/// itself. Pure. `bytes` is by unit.
std::vector<AgreeingThread::Units> fuse(const AgreeingThread::Units& ready, const std::vector<std::uint64_t>& bytes,
                                        std::uint64_t threshold);

/// A unit is a tensor; they are numbered in the order in which backward reaches them, from the last to the first.
class FusionAggregator : public Aggregator
{
public:
    FusionAggregator(const AggregationPlan& plan, const std::vector<Parameter>& parameters, Communicator& communicator,
                     std::unique_ptr<Exchange> exchange, AggregatorHooks hooks);

    float gradientScale() const override { return m_scale; }
    void begin() override;
    void ready(std::size_t tensor) override;
    Result<void> await(std::size_t tensor) override;
    Result<void> finish() override;
    const std::vector<BucketTiming>& timings() const override { return m_thread.timings(); }

private:
    std::uint32_t unitOf(std::size_t tensor) const
    {
        return static_cast<std::uint32_t>(m_parameters.size() - 1 - tensor);
    }

    const std::vector<Parameter> m_parameters;
    const float m_scale;
    AggregatorHooks m_testHooks;
    GradientStage m_stage;
    std::size_t m_missing = 0; ///< gradients that backward has not reached yet
    std::unique_ptr<Exchange> m_exchange;
    AgreeingThread m_thread;
    GradientHooks m_hooks;
};

} // namespace ringside
