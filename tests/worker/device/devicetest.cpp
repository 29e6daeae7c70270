// SPDX-License-Identifier: MIT
// The worker's code for devices, over the stand-in: what is waited for where, and that a run on it learns what a run on
// the CPU learns. What a GPU itself does is seen on a GPU only (gputest.cpp).
#include "agent/worker/device/batchring.h"
#include "agent/worker/device/devicephases.h"
#include "agent/worker/device/latelosses.h"
#include "agent/worker/device/stampboard.h"
#include "agent/worker/graphedstep.h"
#include "agent/worker/plans/bucketaggregator.h"
#include "agent/worker/plans/communicationthread.h"
#include "agent/worker/plans/gradientstage.h"
#include "core/protocol/facts.h"
#include "tests/worker/device/standindevice.h"
#include "tests/worker/device/standingraph.h"
#include "tests/worker/train/attempt.h"

#include <ATen/ATen.h>
#include <chrono>
#include <doctest/doctest.h>
#include <numeric>
#include <thread>

using namespace ringside;
using namespace std::chrono_literals;
using ringside::test::Attempt;
using ringside::test::kStandIn;
using ringside::test::planNamed;
using ringside::test::servedBy;
using ringside::test::Spool;

namespace {

c10::Device device()
{
    static const bool installed = (test::installStandInDevice(), true);
    REQUIRE(installed);
    return {kStandIn, 0};
}

Spool spoolOf(Attempt& attempt, bool onDevice)
{
    attempt.run.iterations = 30;
    attempt.run.settings["learning_rate"] = 0.05;
    if (onDevice) {
        if (attempt.worker.empty())
            attempt.worker = STANDIN_WORKER;
        attempt.run.settings["device"] = std::string("cuda");
    }
    CHECK(attempt.exitCode() == exitcode::kDone);
    return attempt.spool(0);
}

#ifdef STANDIN_NCCL_WORKER
/// On a device, with the plug-in over the stand-in for NCCL.
Spool spoolByNccl(Attempt& attempt)
{
    attempt.worker = STANDIN_NCCL_WORKER;
    attempt.run.settings["backend"] = std::string("nccl");
    Spool spool = spoolOf(attempt, true);
    CHECK(attempt.facts().find("nccl") != std::string::npos);
    return spool;
}

/// Between host and device in all of rank 0's attempt.
std::uint64_t busBytes(const Attempt& attempt)
{
    const auto bytes = readFile(attempt.folder() / "attempt-1" / "bus-bytes-0");
    REQUIRE(bytes);
    return std::stoull(*bytes);
}

/// LeNet's weights, 248 kB, before training: once to the device, and through NCCL in between. The gradients of 30
/// iterations would be 7.4 MB one way.
constexpr std::uint64_t kFewBusBytes = 1'500'000;
#endif

/// With the same losses, to what other rounding makes of them.
void checkAlike(const Spool& cpu, const Spool& device, double tolerance = 1e-4)
{
    REQUIRE(cpu.samples.size() == 30);
    REQUIRE(device.samples.size() == 30);
    CHECK(cpu.samples.back().loss < cpu.samples.front().loss);
    for (std::size_t i = 0; i < cpu.samples.size(); ++i) {
        CAPTURE(i);
        CHECK(device.samples[i].seq == i);
        CHECK(device.samples[i].loss == doctest::Approx(cpu.samples[i].loss).epsilon(tolerance));
        CHECK(device.samples[i].bytesSent == cpu.samples[i].bytesSent);
    }
}

std::int64_t sum(const PhaseTimes& phases)
{
    return std::accumulate(phases.begin(), phases.end(), std::int64_t{0});
}

std::int64_t timeOf(const PhaseClock::Iteration& iteration, Phase phase)
{
    return iteration.phases[static_cast<std::size_t>(phase)];
}

/// By the worker's own command, on two ranks.
Facts calibrated(Attempt& attempt)
{
    attempt.command = "calibrate";
    attempt.run.settings["engine"] = std::string(kCalibrationEngine);
    attempt.run.settings["device"] = std::string("cuda");
    attempt.run.iterations = meansOf(attempt.run.settings).steps();
    attempt.run.warmup = 0;
    REQUIRE(attempt.exitCode() == exitcode::kDone);
    CHECK(attempt.spool(0).samples.size() == kCalibrationSteps + kGpuCalibrationSteps);
    auto facts = factsFromJson(attempt.facts());
    REQUIRE(facts);
    REQUIRE(facts->calibration);
    REQUIRE(facts->calibration->gpu);
    return *std::move(facts);
}

void checkRate(const RankRate& rate, double least, double most)
{
    CHECK(rate.lowest > least);
    CHECK(rate.median >= rate.lowest);
    CHECK(rate.median < most);
}

/// As if two ranks had the same gradients; in the memory of a device, or in the host's only.
class Doubling : public Exchange
{
public:
    explicit Doubling(bool takesGpuMemory)
        : m_takesGpuMemory(takesGpuMemory)
    {
    }
    Result<std::uint64_t> sum(std::uint32_t, std::span<float> gradients) override
    {
        for (float& gradient : gradients)
            gradient *= 2;
        return gradients.size_bytes();
    }
    bool takesGpuMemory() const override { return m_takesGpuMemory; }

private:
    bool m_takesGpuMemory;
};

/// Sums that are done once as many were started.
class Queue : public QueuedSums
{
public:
    explicit Queue(std::size_t all)
        : m_all(all)
    {
    }
    Result<void> start(Numbers numbers, void* after) override
    {
        CHECK(after);
        m_counts.push_back(numbers.count);
        return {};
    }
    Result<std::optional<std::chrono::nanoseconds>> settleOldest() override
    {
        if (m_counts.size() < m_all)
            return std::nullopt;
        if (m_settled == 2)
            return fail(ErrorCode::unavailable, "lost");
        return std::chrono::nanoseconds(++m_settled);
    }

private:
    const std::size_t m_all;
    std::vector<std::size_t> m_counts;
    std::int64_t m_settled = 0;
};

class Queueing : public Doubling
{
public:
    explicit Queueing(std::size_t all)
        : Doubling(true)
        , m_queue(all)
    {
    }
    QueuedSums* queuedSums() override { return &m_queue; }

private:
    Queue m_queue;
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

/// What is computed here reads a batch long after the next ones were loaded.
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
    clock.observe(&phases);
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

TEST_CASE("gradients go to the host's memory when they are computed, and come back when they were exchanged")
{
    GradientStage stage(device(), true);
    const at::Tensor ones = at::ones({2, 3}).to(device());
    for (int round = 1; round < 4; ++round) {
        const at::Tensor gradient = ones * round;
        const Payload payload = stage.offer(7, gradient);
        REQUIRE(payload.await());
        REQUIRE(payload.numbers.size() == 6);
        for (float& number : payload.numbers) {
            CHECK(number == static_cast<float>(round));
            number *= 2;
        }
        CHECK(at::equal(gradient.cpu(), at::full({2, 3}, round, at::kFloat)));
        stage.takeBackAll();
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
        CHECK(payload.await());
        CHECK(payload.numbers.data() == gradient.const_data_ptr<float>());
        for (const float number : payload.numbers) // there before anything else asks for it
            CHECK(number == static_cast<float>(round));
        stage.takeBackAll();
        CHECK(at::equal(gradient.cpu(), at::full({4}, static_cast<float>(round))));
    }
}

TEST_CASE("buckets of a device's gradients become their sums, where the exchange takes them and through the host")
{
    const auto weights = [](std::int64_t count) { return at::ones({count}).to(device()).requires_grad_(true); };
    const std::vector<Parameter> parameters = {{"first", weights(3)}, {"second", weights(2)}, {"third", weights(4)}};
    for (const bool takesGpuMemory : {true, false})
        for (const Schedule schedule : {Schedule::overlapped, Schedule::afterBackward}) {
            BucketAggregator aggregator(schedule, {{2}, {1, 0}}, parameters, 2,
                                        std::make_unique<Doubling>(takesGpuMemory), {});
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
                CHECK(aggregator.timings().size() == 2);
            }
        }
}

TEST_CASE("sums that can be queued are, before the first is done, and settled in their order until one fails")
{
    constexpr std::size_t sums = 3;
    Queueing exchange(sums);
    CommunicationThread thread(exchange);
    std::vector<float> numbers(5);
    c10::Event there(device().type());
    there.record(currentStream(device()));
    for (std::uint32_t bucket = 0; bucket < sums; ++bucket)
        thread.push(bucket, {std::span(numbers).first(bucket + 1), &there});
    const auto lost = thread.awaitCount(sums);
    REQUIRE_FALSE(lost);
    CHECK(lost.error().message == "lost");
    REQUIRE(thread.timings().size() == 2);
    for (std::uint32_t bucket = 0; bucket < 2; ++bucket) {
        CHECK(thread.timings()[bucket].bucket == bucket);
        CHECK(thread.timings()[bucket].lengthNs == bucket + 1);
        CHECK(thread.timings()[bucket].bytes == sizeof(float) * (bucket + 1));
    }
}

TEST_CASE("a run on a device learns what a run on the CPU learns, from the same weights")
{
    for (const char* model : {"lenet", "resnet18"}) {
        CAPTURE(model);
        Attempt cpu, onDevice;
        for (Attempt* attempt : {&cpu, &onDevice}) {
            attempt->run.settings["model"] = std::string(model);
            attempt->run.settings["layout"] = std::string("channels_last");
        }
        checkAlike(spoolOf(cpu, false), spoolOf(onDevice, true));
    }
}

TEST_CASE("its samples are whole: phases that touch, copies, layers, and every record in its iteration")
{
    Attempt attempt(2);
    attempt.run.settings["data"] = std::string("synthetic-files");
    attempt.run.settings["pictures"] = std::int64_t{20};
    const Spool spool = spoolOf(attempt, true);
    REQUIRE(spool.samples.size() == 30);
    for (std::size_t i = 1; i < spool.samples.size(); ++i) {
        const Sample &before = spool.samples[i - 1], &sample = spool.samples[i];
        CHECK(before.startNs + sum(before.phases) == sample.startNs);
        for (const Phase phase : {Phase::h2d, Phase::forward, Phase::backward, Phase::commExposed, Phase::update})
            CHECK(sample.phases[static_cast<std::size_t>(phase)] > 0);
        CHECK(sample.h2dTotalNs > 0);
        CHECK(sample.commTotalNs > 0);
    }
    REQUIRE(spool.layers.size() == 1); // the next ones would be too many bytes
    CHECK(spool.layers.front().seq == 3);
    for (const LayerTiming& layer : spool.layers.front().layers) {
        CHECK(layer.forwardNs > 0);
        CHECK(layer.backwardNs > 0);
        CHECK(layer.backwardStartNs > layer.forwardStartNs);
        CHECK(layer.readyNs > layer.backwardStartNs);
        CHECK(layer.readyNs <= sum(spool.samples[3].phases));
    }
    REQUIRE(spool.buckets.size() == 1);
    CHECK(spool.buckets.front().buckets.size() > 1);
}

TEST_CASE("pictures that are copied before the gradients of the batch before are there are those of the CPU")
{
    for (const std::int64_t prefetch : {1, 2, 4}) {
        CAPTURE(prefetch);
        Attempt cpu(2), onDevice(2);
        for (Attempt* attempt : {&cpu, &onDevice}) {
            attempt->run.settings["data"] = std::string("synthetic-files");
            attempt->run.settings["pictures"] = std::int64_t{20};
            attempt->run.settings["prefetch"] = prefetch;
        }
        const Spool expected = spoolOf(cpu, false), found = spoolOf(onDevice, true);
        REQUIRE(found.samples.size() == expected.samples.size());
        for (std::size_t i = 0; i < found.samples.size(); ++i)
            CHECK(found.samples[i].loss == doctest::Approx(expected.samples[i].loss).epsilon(1e-3));
    }
}

TEST_CASE("a batch that is given again and again is copied once")
{
    Attempt attempt;
    const Spool spool = spoolOf(attempt, true);
    REQUIRE(spool.samples.size() == 30);
    for (const Sample& sample : spool.samples)
        CHECK((sample.h2dTotalNs > 0) == (sample.seq == 0));
}

TEST_CASE("with every way of exchanging gradients two ranks on devices learn what two on CPUs learn")
{
    std::vector<AggregationPlan> plans = {planNamed("one"), planNamed("buckets")};
    plans.push_back(planNamed("buckets"));
    plans.back().grouping = Grouping::fusion;
    plans.push_back(planNamed("buckets"));
    plans.back().schedule = Schedule::priority;
    plans.back().chunkBytes = 10'000;
    plans.push_back(planNamed("buckets"));
    plans.back().compression = Compression::fp16;
    plans.push_back(planNamed("buckets"));
    plans.back().grouping = Grouping::optimal;
    plans.push_back(servedBy(1));
    for (std::size_t i = 0; i < plans.size(); ++i) {
        CAPTURE(i);
        Attempt cpu(2), onDevice(2);
        cpu.run.plan = onDevice.run.plan = plans[i];
        const Spool a = spoolOf(cpu, false), b = spoolOf(onDevice, true);
        REQUIRE(a.samples.size() == b.samples.size());
        for (std::size_t k = 0; k < a.samples.size(); ++k)
            CHECK(b.samples[k].loss == doctest::Approx(a.samples[k].loss).epsilon(1e-3));
    }
}

TEST_CASE(
    "with both passes as one graph a run learns the same, by every way of exchanging gradients but layer by layer")
{
    const std::vector<AggregationPlan> plans = {planNamed("one"), planNamed("buckets"), servedBy(1)};
    for (std::size_t i = 0; i <= plans.size(); ++i) {
        CAPTURE(i);
        const bool alone = i == plans.size();
        Attempt eager(alone ? 1 : 2), graphed(alone ? 1 : 2);
        if (!alone)
            eager.run.plan = graphed.run.plan = plans[i];
        graphed.run.settings["cuda_graph"] = std::string("on");
        const Spool a = spoolOf(eager, true), b = spoolOf(graphed, true);
        checkAlike(a, b);
        CHECK(b.layers.empty());
        CHECK(b.buckets.empty() == alone); // what was sent is known, though layers are not
        for (const Sample& sample : b.samples) {
            CHECK(sample.phases[static_cast<std::size_t>(Phase::forward)] == 0);
            CHECK(sample.phases[static_cast<std::size_t>(Phase::backward)] > 0);
        }
    }
}

TEST_CASE("a graph takes batches in one place, and shared or transposed gradients apart")
{
    TrainSettings settings;
    settings.model = findModel("lstm");
    settings.modelOptions.classes = 40;
    settings.modelOptions.dropout = 0; // which is drawn anew
    settings.sequenceLength = 8;
    settings.batch = 2;
    Classifier classifier(settings);
    classifier.moveTo(device());
    GraphedStep step(classifier, std::make_unique<test::StandInGraph>());
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
        const float loss = step.run(kScale, [&](std::size_t) { ++told; }).cpu().item<float>();
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

TEST_CASE("ranks on devices are calibrated with them; what MPI sums lies in the host's memory")
{
    Attempt attempt(2);
    attempt.worker = STANDIN_WORKER;
    const Calibration found = *calibrated(attempt).calibration;
    CHECK(found.means == CalibrationMeans{.device = "cuda"});
    for (const RankRate& rate : {found.gpu->fp32Flops, found.gpu->tf32Flops, found.gpu->bf16Flops})
        checkRate(rate, 1e7, 1e14);
    for (const RankRate& rate : {found.gpu->memoryBytes, found.gpu->toDeviceBytes, found.gpu->toHostBytes})
        checkRate(rate, 1e7, 1e13);
    checkRate(found.gemmFlops, 1e8, 1e14); // the cores' own
    const LinkCost* link = found.link(LinkLevel::node, LinkOperation::allReduce);
    REQUIRE(link);
    CHECK_FALSE(link->inGpuMemory);
}

#ifdef STANDIN_NCCL_WORKER
TEST_CASE("with NCCL all-reduces of a calibration are of the devices' memory, and messages of two are not")
{
    Attempt attempt(2);
    attempt.worker = STANDIN_NCCL_WORKER;
    attempt.run.settings["backend"] = std::string("nccl");
    const Facts facts = calibrated(attempt);
    const Calibration& found = *facts.calibration;
    CHECK(facts.transport.starts_with("nccl"));
    CHECK(found.means == CalibrationMeans{"cuda", "nccl", "any"});
    const LinkCost* sums = found.link(LinkLevel::node, LinkOperation::allReduce);
    const LinkCost* messages = found.link(LinkLevel::node, LinkOperation::pingPong);
    REQUIRE(sums);
    REQUIRE(messages);
    CHECK(sums->inGpuMemory);
    CHECK_FALSE(messages->inGpuMemory);
    CHECK(sums->times.front().seconds > 0);
    CHECK(sums->times.back().seconds > sums->times.front().seconds);
    CHECK(!sums->segments.empty());
}

TEST_CASE("two ranks whose gradients NCCL sums where they are learn what two on CPUs learn")
{
    std::vector<AggregationPlan> plans = {planNamed("one"), planNamed("buckets"), planNamed("buckets-after")};
    for (const Collective collective : {Collective::reduceScatterAllgather, Collective::hierarchical}) {
        plans.push_back(planNamed("buckets"));
        plans.back().collective = collective;
    }
    for (const Grouping grouping : {Grouping::perTensor, Grouping::optimal}) {
        plans.push_back(planNamed("buckets"));
        plans.back().grouping = grouping;
    }
    plans.push_back(planNamed("buckets"));
    plans.back().schedule = Schedule::priority;
    plans.back().chunkBytes = 10'000;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        CAPTURE(i);
        Attempt cpu(2), onDevice(2);
        cpu.run.plan = onDevice.run.plan = plans[i];
        const Spool a = spoolOf(cpu, false), b = spoolByNccl(onDevice);
        checkAlike(a, b);
        CHECK(busBytes(onDevice) < kFewBusBytes);
    }
}

TEST_CASE("gradients that NCCL sums are fused and rounded on the device, too")
{
    std::vector<AggregationPlan> plans;
    for (const Compression compression : {Compression::none, Compression::fp16, Compression::bf16})
        for (const Grouping grouping : {Grouping::fusion, Grouping::buckets}) {
            plans.push_back(planNamed("buckets"));
            plans.back().grouping = grouping;
            plans.back().compression = compression;
        }
    for (const AggregationPlan& plan : plans) {
        CAPTURE(nameOf(plan.grouping));
        CAPTURE(nameOf(plan.compression));
        Attempt cpu(2), onDevice(2);
        cpu.run.plan = onDevice.run.plan = plan;
        checkAlike(spoolOf(cpu, false), spoolByNccl(onDevice), plan.compression == Compression::none ? 1e-4 : 1e-3);
        CHECK(busBytes(onDevice) < kFewBusBytes);
    }
}
#endif

TEST_CASE("serialised phases are whole, too, and a run learns the same")
{
    Attempt events(2), serialised(2);
    serialised.run.settings["timing"] = std::string("serialised");
    const Spool a = spoolOf(events, true), b = spoolOf(serialised, true);
    checkAlike(a, b);
    for (std::size_t i = 1; i < b.samples.size(); ++i)
        CHECK(b.samples[i - 1].startNs + sum(b.samples[i - 1].phases) == b.samples[i].startNs);
}

TEST_CASE("a graph has no place for updates inside the forward pass, and a CPU no graphs")
{
    Attempt attempt(2);
    attempt.worker = STANDIN_WORKER;
    attempt.run.plan.schedule = Schedule::priority;
    attempt.run.plan.chunkBytes = 10'000;
    attempt.run.settings["device"] = std::string("cuda");
    attempt.run.settings["cuda_graph"] = std::string("on");
    CHECK(attempt.exitCode() == exitcode::kSettings);

    Attempt onCpu;
    onCpu.run.settings["cuda_graph"] = std::string("on");
    onCpu.run.settings["timing"] = std::string("serialised");
    CHECK(onCpu.exitCode() == exitcode::kDone);
}

TEST_CASE("a loss that is no number ends a run on a device, too, an iteration later")
{
    Attempt attempt;
    attempt.worker = STANDIN_WORKER;
    attempt.run.settings["device"] = std::string("cuda");
    attempt.run.settings["learning_rate"] = 1000.0;
    CHECK(attempt.exitCode() == exitcode::kNotANumber);
    CHECK(attempt.spool(0).samples.size() > 1);
}

TEST_CASE("also where it is the last loss")
{
    Attempt attempt;
    attempt.worker = STANDIN_WORKER;
    attempt.run.settings["device"] = std::string("cuda");
    attempt.run.settings["learning_rate"] = 1000.0;
    attempt.run.warmup = 0;
    std::size_t iterations = 0;
    {
        Attempt first;
        first.run.settings["learning_rate"] = 1000.0;
        CHECK(first.exitCode() == exitcode::kNotANumber);
        iterations = first.spool(0).samples.size(); // the last of them is the first without a number
    }
    attempt.run.iterations = static_cast<int>(iterations);
    CHECK(attempt.exitCode() == exitcode::kNotANumber);
    CHECK(attempt.spool(0).samples.size() == iterations);
}
