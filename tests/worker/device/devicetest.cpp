// SPDX-License-Identifier: MIT
// The parts of the worker's code for devices, over the stand-in: what is waited for where. Whole runs: runstest.cpp;
// what a GPU itself does is seen on a GPU only (gputest.cpp).
#include "agent/worker/device/batchring.h"
#include "agent/worker/device/devicephases.h"
#include "agent/worker/device/latelosses.h"
#include "agent/worker/device/stampboard.h"
#include "agent/worker/device/tensors.h"
#include "agent/worker/plans/bucketaggregator.h"
#include "agent/worker/plans/collectivecarrier.h"
#include "agent/worker/plans/gradientstage.h"
#include "agent/worker/train/graphedpasses.h"
#include "tests/worker/device/standindevice.h"
#include "tests/worker/device/standingraph.h"
#include "tests/worker/plans/awaitall.h"

#include <ATen/ATen.h>
#include <chrono>
#include <doctest/doctest.h>
#include <numeric>
#include <thread>

using namespace ringside;
using namespace std::chrono_literals;
using ringside::test::kStandIn;

namespace {

c10::Device device()
{
    static const bool installed = (test::installStandInDevice(), true);
    REQUIRE(installed);
    return {kStandIn, 0};
}

std::int64_t sum(const PhaseTimes& phases)
{
    return std::accumulate(phases.begin(), phases.end(), std::int64_t{0});
}

std::int64_t timeOf(const PhaseClock::Iteration& iteration, Phase phase)
{
    return iteration.phases[static_cast<std::size_t>(phase)];
}

/// As if two ranks had the same gradients, in the memory of this device; from the unit of this number on it fails.
class Doubling : public Exchange
{
public:
    explicit Doubling(c10::Device place, std::uint32_t bad = 99)
        : m_place(place)
        , m_bad(bad)
    {
    }
    Result<std::uint64_t> sum(std::uint32_t unit, std::span<float> gradients) override
    {
        if (unit >= m_bad)
            return fail(ErrorCode::unavailable, "lost");
        const at::NoGradGuard noGraph;
        viewOf(gradients, m_place).mul_(2);
        return gradients.size_bytes();
    }

private:
    c10::Device m_place;
    std::uint32_t m_bad;
};

} // namespace

TEST_CASE("a batch is what is computed with until the next one is used, and its memory may be written at once")
{
    BatchRing ring(at::ones({3}), at::ones({1}, at::kLong), device());
    CHECK(at::equal(ring.inputs().cpu(), at::zeros({3})));
    const auto bring = [&](int batch) {
        std::vector<float> inputs(3);
        std::iota(inputs.begin(), inputs.end(), static_cast<float>(batch));
        std::int64_t label = batch;
        ring.bring(inputs.data(), &label);
        inputs.assign(3, -1.0f);
        label = -1;
    };
    bring(0);
    for (int batch = 0; batch < 7; ++batch) {
        ring.use();
        CHECK(ring.count() == static_cast<std::uint64_t>(batch) + 1);
        const at::Tensor computed = ring.inputs() + 1; // enqueued before the next one is brought
        bring(batch + 1);
        CHECK(ring.inputs().device() == device());
        CHECK(at::equal(computed.cpu(), at::arange(batch + 1, batch + 4, at::kFloat)));
        CHECK(at::equal(ring.inputs().cpu(), at::arange(batch, batch + 3, at::kFloat)));
        CHECK(ring.labels().cpu().item<std::int64_t>() == batch);
        CHECK(ring.copyNs(static_cast<std::uint64_t>(batch)) > 0);
    }
}

/// The computation here reads a batch long after the next ones were loaded.
TEST_CASE("no batch is overwritten before it was copied, nor before it was read by what is enqueued")
{
    BatchRing ring(at::ones({3}), at::ones({1}, at::kLong), device());
    std::vector<at::Tensor> inputs, labels;
    for (std::int64_t batch = 1; batch < 8; ++batch) {
        const std::vector<float> numbers(3, static_cast<float>(batch));
        ring.bring(numbers.data(), &batch);
        ring.use();
        inputs.push_back(at::empty_like(ring.inputs()).copy_(ring.inputs()));
        labels.push_back(at::empty_like(ring.labels()).copy_(ring.labels()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        CHECK(at::equal(inputs[i].cpu(), at::full({3}, static_cast<float>(i + 1))));
        CHECK(labels[i].cpu().item<std::int64_t>() == static_cast<std::int64_t>(i + 1));
    }
}

TEST_CASE("losses are those of their iteration when they are read later")
{
    LateLosses losses(device());
    const at::Tensor half = at::full({}, 0.5f).to(device());
    for (std::uint32_t seq = 0; seq < 10; ++seq) {
        losses.put(seq, half + static_cast<double>(seq));
        if (seq > 0)
            CHECK(losses.of(seq - 1) == 0.5f + static_cast<float>(seq - 1));
    }
    CHECK(losses.of(9) == 9.5f);
}

TEST_CASE("phases are read an iteration later, add up, touch, and lie on the host's clock")
{
    PhaseClock clock;
    DevicePhases phases(device());
    clock.add(phases);
    const auto beganNs = monotonicNs();
    clock.start();
    for (int i = 0; i < 3; ++i) {
        clock.enter(Phase::forward);
        std::this_thread::sleep_for(3ms);
        clock.enter(Phase::backward);
        std::this_thread::sleep_for(1ms);
        clock.turn();
    }
    auto before = phases.read();
    CHECK(before.startNs >= beganNs);
    for (std::uint32_t seq = 1; seq < 3; ++seq) {
        const auto next = phases.read();
        CHECK(next.seq == seq);
        CHECK(before.startNs + sum(before.phases) == next.startNs);
        CHECK(timeOf(next, Phase::forward) >= 3'000'000);
        CHECK(timeOf(next, Phase::backward) >= 1'000'000);
        CHECK(timeOf(next, Phase::update) == 0);
        before = next;
    }
    CHECK(before.startNs + sum(before.phases) <= monotonicNs());
    c10::Event now = timedEvent(device());
    now.record(currentStream(device()));
    CHECK(nsBetween(phases.start(), now) >= sum(before.phases));
    CHECK(nsBetween(phases.start(), now) <= monotonicNs() - beganNs);
}

TEST_CASE("stamps of a device count from its own zero, or from another event")
{
    const auto board = makeStampBoard(device());
    board->clear(2);
    CHECK_FALSE(board->has(0));
    c10::Event before = timedEvent(device());
    before.record(currentStream(device()));
    std::this_thread::sleep_for(1ms);
    const auto zeroNs = board->zero();
    std::this_thread::sleep_for(2ms);
    board->put(0);
    board->put(1);
    CHECK(board->has(1));
    CHECK(board->since(zeroNs, 0) >= 2'000'000);
    CHECK(board->since(zeroNs, 1) >= board->since(zeroNs, 0));
    CHECK(board->since(board->instantOf(before), 0) >= board->since(zeroNs, 0) + 1'000'000);
    board->clear(2);
    CHECK_FALSE(board->has(0));
}

TEST_CASE("a stamp that the device has passed is counted from a zero that it has yet to pass")
{
    const auto board = makeStampBoard(device());
    board->clear(1);
    at::Tensor there = at::empty({4}, at::TensorOptions().device(device()));
    there.copy_(at::ones({4}), /*non_blocking=*/true); // keeps the device behind the host
    board->put(0);
    std::this_thread::sleep_for(1ms);
    const auto zeroNs = board->zero();
    CHECK(board->since(zeroNs, 0) <= 0);
}

TEST_CASE("gradients go to the host's memory when they are computed, and come back when they were exchanged")
{
    GradientStage stage(device(), true);
    const at::Tensor ones = at::ones({2, 3}).to(device());
    for (int round = 1; round < 4; ++round) {
        const at::Tensor gradient = ones * round;
        const Payload payload = stage.offer(7, gradient);
        payload.await();
        REQUIRE(payload.numbers.size() == 6);
        for (float& number : payload.numbers) {
            CHECK(number == static_cast<float>(round));
            number *= 2;
        }
        CHECK(at::equal(gradient.cpu(), at::full({2, 3}, round, at::kFloat)));
        stage.takeBack(7);
        CHECK(at::equal(gradient.cpu(), at::full({2, 3}, 2 * round, at::kFloat)));
    }
}

TEST_CASE("gradients that are exchanged on the device stay there")
{
    GradientStage stage(device(), false);
    const at::Tensor ones = at::ones({4}).to(device());
    for (int round = 1; round < 4; ++round) {
        const at::Tensor gradient = ones * round;
        const Payload payload = stage.offer(0, gradient);
        payload.await();
        CHECK(payload.numbers.data() == gradient.const_data_ptr<float>());
        for (const float number : payload.numbers) // there before anything else asks for it
            CHECK(number == static_cast<float>(round));
        stage.takeBack(0);
        CHECK(at::equal(gradient.cpu(), at::full({4}, static_cast<float>(round))));
    }
}

TEST_CASE("buckets of a device's gradients become their sums, where the exchange takes them and through the host")
{
    const auto weights = [](std::int64_t count) { return at::ones({count}).to(device()).requires_grad_(true); };
    const std::vector<Parameter> parameters = {{"first", weights(3)}, {"second", weights(2)}, {"third", weights(4)}};
    for (const ExchangeStream& stream : {ExchangeStream(streamBeside(device())), ExchangeStream()})
        for (const Schedule schedule : {Schedule::overlapped, Schedule::afterBackward}) {
            GradientBuckets buckets({{2}, {1, 0}}, parameters, !stream.stream());
            std::vector<Unit> units = unitsOf({}, buckets.numbers());
            auto carrier = std::make_unique<CollectiveCarrier>(std::make_unique<Doubling>(stream.device()), stream);
            BucketAggregator aggregator(
                parameters, {schedule, std::move(buckets), std::move(units), inOrder(), std::move(carrier), 0.5f});
            for (int iteration = 1; iteration < 4; ++iteration) {
                aggregator.begin();
                at::Tensor loss = at::zeros({}, device());
                for (std::size_t i = 0; i < parameters.size(); ++i)
                    loss = loss + parameters[i].value.sum() * static_cast<double>(iteration * (i + 1));
                loss.backward();
                CHECK(aggregator.finish());
                for (std::size_t i = 0; i < parameters.size(); ++i) {
                    const at::Tensor& gradient = parameters[i].value.grad();
                    CHECK(gradient.device() == device());
                    CHECK((gradient.cpu() == static_cast<double>(2 * iteration * (i + 1))).all().item<bool>());
                }
                CHECK(aggregator.timings().get().size() == 2);
            }
        }
}

TEST_CASE("messages of a device are enqueued before the first is done, in their order, until one fails")
{
    const ExchangeStream stream(streamBeside(device()));
    constexpr std::uint32_t units = 3;
    ExchangeThread thread(
        inOrder(), std::make_unique<CollectiveCarrier>(std::make_unique<Doubling>(device(), units - 1), stream), units);
    at::Tensor numbers = at::empty({6}).to(device());
    numbers.copy_(at::ones({6}), /*non_blocking=*/true); // keeps the device behind the host
    c10::Event there(device().type());
    there.record(currentStream(device()));
    const std::span<float> memory = numbersOf(numbers);
    for (std::uint32_t unit = 0; unit < units; ++unit)
        thread.offer(unit, {memory.subspan(unit * (unit + 1) / 2, unit + 1), &there});
    const auto lost = test::awaitAll(thread, units);
    REQUIRE_FALSE(lost);
    CHECK(lost.error().message == "lost");
    const auto& timings = thread.timings().get();
    REQUIRE(timings.size() == units); // the last of them has no length
    for (std::uint32_t unit = 0; unit < 2; ++unit) {
        CHECK(timings[unit].bucket == unit);
        CHECK((timings[unit].bytes == 0 || timings[unit].bytes == sizeof(float) * (unit + 1)));
    }
    CHECK(stream.await()); // the device goes on, and the numbers are its until then
}

TEST_CASE("a graph takes batches in one place, and shared or transposed gradients apart")
{
    ProblemSettings settings;
    settings.model = findModel("lstm");
    settings.modelOptions.classes = 40;
    settings.modelOptions.dropout = 0; // which is drawn anew
    settings.sequenceLength = 8;
    settings.batch = 2;
    Classifier classifier(settings);
    classifier.moveTo(device());
    GraphedPasses passes(classifier, std::make_unique<test::StandInGraph>());
    const auto& parameters = classifier.model().parameters();
    constexpr float kScale = 0.5f;
    std::vector<std::int64_t> tokens(16), labels(16);
    for (int batch = 1; batch < 4; ++batch) {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            tokens[i] = static_cast<std::int64_t>(i * batch) % 40;
            labels[i] = static_cast<std::int64_t>(i + batch) % 40;
        }
        classifier.load({.tokens = tokens.data(), .labels = labels.data()});
        std::size_t told = 0;
        const float loss = passes.run(kScale, [&](std::size_t) { ++told; }).cpu().item<float>();
        CHECK(told == parameters.size());
        std::vector<at::Tensor> graphed;
        for (const Parameter& parameter : parameters) {
            graphed.push_back(parameter.value.grad().cpu().clone());
            CHECK(parameter.value.grad().strides() == parameter.value.strides());
            parameter.value.mutable_grad().reset();
        }
        const at::Tensor eager = classifier.forward();
        CHECK(loss == doctest::Approx(eager.cpu().item<float>()).epsilon(1e-5));
        classifier.backward(eager, kScale);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            CAPTURE(parameters[i].name);
            CHECK(at::allclose(graphed[i], parameters[i].value.grad().cpu(), 1e-4, 1e-6));
            parameters[i].value.mutable_grad().reset();
        }
    }
}
