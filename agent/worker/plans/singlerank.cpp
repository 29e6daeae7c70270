// SPDX-License-Identifier: MIT
// One rank: its gradient is the mean.
#include "agent/worker/plans/gradienthooks.h"

#include <utility>

namespace ringside {

namespace {

class SingleRank : public Aggregator
{
public:
    explicit SingleRank(const std::vector<Parameter>& parameters)
        : m_parameters(parameters)
    {
    }

    float gradientScale() const override { return 1; }
    void begin() override { releaseGradients(m_parameters); }
    void ready(std::size_t) override {}
    Result<void> await(std::size_t) override { return {}; }
    Result<void> finish() override { return {}; }
    void startVote(const Votes& mine) override { m_votes = mine; }
    Result<Votes> awaitVote() override { return std::exchange(m_votes, {}); }
    Timings timings() const override { return noTimings(); }

private:
    Votes m_votes{};
    const std::vector<Parameter> m_parameters;
};

} // namespace

Result<std::unique_ptr<Aggregator>> makeAlone(const Aggregation& aggregation)
{
    return std::make_unique<SingleRank>(aggregation.parameters);
}

} // namespace ringside
