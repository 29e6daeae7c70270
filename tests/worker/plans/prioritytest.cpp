// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/backends.h"
#include "agent/worker/plans/bucketaggregator.h"
#include "agent/worker/train/step.h"
#include "tests/worker/plans/plansfortests.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <atomic>
#include <doctest/doctest.h>

using namespace ringside;

namespace {

constexpr std::int64_t kNumbers = 100;

/// An exchange of a single rank; it signals that it has begun, and waits until it is released.
class HeldExchange : public Exchange
{
public:
    HeldExchange(std::atomic<bool>& hasBegun, std::atomic<bool>& isHeld)
        : m_hasBegun(hasBegun)
        , m_isHeld(isHeld)
    {
    }
    Result<std::uint64_t> sum(std::uint32_t, std::span<float> gradients) override
    {
        m_hasBegun = true;
        m_hasBegun.notify_all();
        m_isHeld.wait(true);
        return gradients.size_bytes();
    }

private:
    std::atomic<bool>& m_hasBegun;
    std::atomic<bool>& m_isHeld;
};

/// Four layers that add their weights to what they get; it records when they compute.
class Chain : public Model
{
public:
    explicit Chain(std::vector<std::string>& log)
        : m_log(log)
    {
        for (std::size_t i = 0; i < 4; ++i) {
            beginLayer(std::to_string(i));
            m_weights.push_back(add(std::to_string(i) + ".weight", at::zeros({kNumbers})));
        }
    }
    at::Tensor forward(const at::Tensor& x) override
    {
        at::Tensor y = x;
        for (std::size_t layer = 0; layer < m_weights.size(); ++layer) {
            enter(layer);
            m_log.push_back("layer " + std::to_string(layer));
            y = y + m_weights[layer];
            leave(layer, y, y);
        }
        return y;
    }

private:
    std::vector<std::string>& m_log;
    std::vector<at::Tensor> m_weights;
};

/// Tells what is waited for.
class Told : public Aggregator
{
public:
    explicit Told(std::vector<std::string>& log)
        : m_log(log)
    {
    }
    float gradientScale() const override { return 1; }
    void begin() override {}
    void ready(std::size_t) override {}
    Result<void> await(std::size_t tensor) override
    {
        m_log.push_back("wait for " + std::to_string(tensor));
        if (tensor == failing)
            return fail(ErrorCode::unavailable, "lost");
        return {};
    }
    Result<void> finish() override
    {
        m_log.push_back("finish");
        return {};
    }
    void startVote(const Votes&) override {}
    Result<Votes> awaitVote() override { return Votes{}; }
    Timings timings() const override { return noTimings(); }
    bool isLayerwise() const override { return true; }

    std::size_t failing = 99;

private:
    std::vector<std::string>& m_log;
};

AggregationPlan chunksOf(std::uint64_t bytes)
{
    auto plan = test::planOf(Collective::allreduce, Grouping::perTensor, Schedule::priority);
    plan.chunkBytes = bytes;
    return plan;
}

std::unique_ptr<Step> stepBy(std::unique_ptr<Told> told, Model& model, PhaseClock& clock)
{
    auto optimizer = std::make_unique<Sgd>(model.parameters(), OptimizerSettings{1, 0, 0});
    return makeStep(model, std::move(told), std::move(optimizer), clock);
}

} // namespace

TEST_CASE("buckets are cut into chunks with the schedule priority, and not with others")
{
    const std::size_t buckets[] = {5, 4, 9};
    const std::vector<Unit> cut{{0, 0, 4}, {0, 4, 1}, {1, 0, 4}, {2, 0, 4}, {2, 4, 4}, {2, 8, 1}};
    const std::vector<Unit> whole{{0, 0, 5}, {1, 0, 4}, {2, 0, 9}};
    CHECK((unitsOf(chunksOf(16), buckets) == cut));
    auto plan = chunksOf(16);
    plan.schedule = Schedule::overlapped;
    CHECK((unitsOf(plan, buckets) == whole));
}

TEST_CASE("chunks that are too many are refused, before memory is spent on them")
{
    const std::size_t buckets[] = {61'100'840};
    const auto refused = checkUnits(chunksOf(1), buckets);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::usage);
    CHECK(refused.error().message.find("61100840 messages, and an iteration has 100000 at most") != std::string::npos);
    CHECK(checkUnits(chunksOf(4'096), buckets));
    AggregationPlan served = chunksOf(4'096);
    served.collective = Collective::parameterServer;
    CHECK(!checkUnits(served, buckets));
    served.schedule = Schedule::overlapped;
    CHECK(checkUnits(served, buckets)); // whole
}

TEST_CASE("the front-most go first, and more than one only up to a chunk")
{
    const std::vector<std::uint64_t> bytes{10, 20, 30, 40, 50};
    CHECK(frontMost({0, 1, 2, 3, 4}, bytes, 50) == std::vector<Units>{{4}});
    CHECK(frontMost({0, 1, 3}, bytes, 50) == std::vector<Units>{{3}, {1}});
    CHECK(frontMost({0, 1, 3}, bytes, 1'000) == std::vector<Units>{{3}, {1}, {0}});
    CHECK(frontMost({2}, bytes, 1) == std::vector<Units>{{2}});
}

TEST_CASE("what the front layers have ready goes before what the layers behind them had ready earlier")
{
    std::vector<std::string> log;
    Chain chain(log);
    const auto single = makeSingleCommunicator();
    std::atomic<bool> hasBegun = false, isHeld = true;
    const AggregationPlan plan = chunksOf(kNumbers * sizeof(float));
    const auto aggregator = aggregatorFor(plan, groupsOf(plan, chain.parameters()), chain.parameters(), *single,
                                          std::make_unique<HeldExchange>(hasBegun, isHeld));
    aggregator->begin();
    for (std::size_t tensor = chain.parameters().size(); tensor-- > 0;) {
        chain.parameters()[tensor].value.mutable_grad() = at::ones({kNumbers});
        aggregator->ready(tensor);
        hasBegun.wait(false); // the last layer's is on its way, alone
    }
    isHeld = false;
    isHeld.notify_all();
    REQUIRE(aggregator->await(0));
    REQUIRE(aggregator->finish());
    std::vector<std::uint32_t> order;
    for (const BucketTiming& timing : aggregator->timings().get())
        order.push_back(timing.bucket);
    CHECK(order == std::vector<std::uint32_t>{0, 3, 2, 1}); // they are numbered from the last layer on
}

TEST_CASE("each layer waits for its own tensors alone, just before it computes")
{
    std::vector<std::string> log;
    Chain chain(log);
    PhaseClock clock;
    const auto step = stepBy(std::make_unique<Told>(log), chain, clock);
    CHECK(!step->afterForward().value()); // nothing came before
    chain.forward(at::ones({kNumbers})).sum().backward();
    CHECK(!step->finish(false).value());
    log.clear();
    step->beforeForward(nullptr);
    const auto x = chain.forward(at::ones({kNumbers}));
    CHECK(step->afterForward().value());
    CHECK(log == std::vector<std::string>{"wait for 0", "layer 0", "wait for 1", "layer 1", "wait for 2", "layer 2",
                                          "wait for 3", "layer 3", "finish"});
    CHECK(x[0].item<float>() == -3); // 1, and four weights less a gradient of 1 each
    log.clear();
    chain.forward(at::ones({kNumbers}));
    CHECK(log.front() == "layer 0"); // nothing is left to wait for
}

TEST_CASE(
    "a peer that is lost while a layer waits is told of after the forward pass, and layers not passed are updated")
{
    std::vector<std::string> log;
    Chain chain(log);
    PhaseClock clock;
    const auto step = stepBy(std::make_unique<Told>(log), chain, clock);
    chain.forward(at::ones({kNumbers})).sum().backward();
    CHECK(!step->finish(false).value());
    step->beforeForward(nullptr);
    CHECK(step->afterForward().value()); // without a forward pass
    CHECK(chain.parameters()[3].value[0].item<float>() == -1);

    static_cast<Told&>(step->aggregator()).failing = 1;
    CHECK(!step->finish(false).value());
    step->beforeForward(nullptr);
    log.clear();
    chain.forward(at::ones({kNumbers}));
    CHECK(std::ranges::count(log, "wait for 2") == 0);
    CHECK(!step->afterForward());
}
