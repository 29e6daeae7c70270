// SPDX-License-Identifier: MIT
// Whole runs of the worker on the stand-in device: they learn what runs on the CPU learn, and their records are whole.
#include "agent/worker/collectives/rankgroup.h"
#include "core/protocol/facts.h"
#include "tests/support/built.h"
#include "tests/worker/train/attempt.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <map>
#include <numeric>

using namespace ringside;
using ringside::test::Attempt;
using ringside::test::planNamed;
using ringside::test::servedBy;
using ringside::test::Spool;

namespace {

constexpr std::size_t kIterations = 12;

Spool spoolOf(Attempt& attempt, bool onDevice)
{
    attempt.run.iterations = kIterations;
    attempt.run.settings["learning_rate"] = 0.05;
    if (onDevice) {
        if (attempt.worker.empty())
            attempt.worker = test::testProgram("standinworker");
        attempt.run.settings["device"] = std::string("cuda");
    }
    CHECK(attempt.exitCode() == exitcode::kDone);
    return attempt.spool(0);
}

#ifdef RINGSIDE_HAS_STANDIN_NCCL
/// A program with the plug-in over stand-ins for CUDA and NCCL. A sanitizer opens libraries in a program's stead, and
/// from a library the program's RPATH does not count: what is started during the life of this looks in the variable,
/// too.
class StandinProgram
{
public:
    explicit StandinProgram(const std::string& name)
        : m_path(test::testProgram("standin/" + name))
    {
        ::setenv("LD_LIBRARY_PATH", fs::path(m_path).parent_path().c_str(), 1);
    }
    ~StandinProgram() { ::unsetenv("LD_LIBRARY_PATH"); }
    StandinProgram(const StandinProgram&) = delete;
    StandinProgram& operator=(const StandinProgram&) = delete;

    const std::string& path() const { return m_path; }

private:
    std::string m_path;
};

/// On a device, summed by NCCL.
Spool spoolByNccl(Attempt& attempt)
{
    const StandinProgram worker("standinncclworker");
    attempt.worker = worker.path();
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

/// LeNet's weights, 248 kB, before training: once to the device, and through NCCL in between. The gradients of all
/// iterations would be 3 MB one way.
constexpr std::uint64_t kFewBusBytes = 1'500'000;
#endif

/// With the same losses, to what other rounding makes of them.
void checkAlike(const Spool& cpu, const Spool& device, double tolerance = 1e-4)
{
    REQUIRE(cpu.samples.size() == kIterations);
    REQUIRE(device.samples.size() == kIterations);
    CHECK(cpu.samples.back().loss < cpu.samples.front().loss);
    for (std::size_t i = 0; i < cpu.samples.size(); ++i) {
        CAPTURE(i);
        CHECK(device.samples[i].seq == i);
        CHECK(device.samples[i].loss == doctest::Approx(cpu.samples[i].loss).epsilon(tolerance));
        CHECK(device.samples[i].bytesSent == cpu.samples[i].bytesSent);
    }
}

AggregationPlan buckets(Grouping grouping)
{
    AggregationPlan plan = planNamed("buckets");
    plan.grouping = grouping;
    return plan;
}

AggregationPlan rounded(Compression compression, Grouping grouping = Grouping::buckets)
{
    AggregationPlan plan = buckets(grouping);
    plan.compression = compression;
    return plan;
}

AggregationPlan summedBy(Collective collective)
{
    AggregationPlan plan = planNamed("buckets");
    plan.collective = collective;
    return plan;
}

AggregationPlan inChunks()
{
    AggregationPlan plan = planNamed("buckets");
    plan.schedule = Schedule::priority;
    plan.chunkBytes = 10'000;
    return plan;
}

/// Returns the spool of two ranks that learn on CPUs by a plan: however gradients are grouped and when they go, it is
/// the same, but for rounding.
const Spool& learntOnCpus(const AggregationPlan& plan)
{
    static std::map<std::pair<Collective, Compression>, Spool> known;
    const Collective collective = plan.serverRanks() > 0 ? Collective::allreduce : plan.collective;
    const auto [found, isNew] = known.try_emplace({collective, plan.compression});
    if (isNew) {
        Attempt attempt(2);
        attempt.run.plan = summedBy(collective);
        attempt.run.plan.compression = plan.compression;
        found->second = spoolOf(attempt, false);
    }
    return found->second;
}

/// Two ranks learn the same on devices and on CPUs. What is rounded is compared to what that rounds.
void checkThroughHost(const std::vector<AggregationPlan>& plans)
{
    for (std::size_t i = 0; i < plans.size(); ++i) {
        CAPTURE(i);
        Attempt onDevice(2);
        onDevice.run.plan = plans[i];
        checkAlike(learntOnCpus(plans[i]), spoolOf(onDevice, true), 1e-3);
    }
}

#ifdef RINGSIDE_HAS_STANDIN_NCCL
/// On the last bit of a number turns whether a code sends it now or later.
double toleranceOf(Compression compression)
{
    if (compression == Compression::none)
        return 1e-4;
    return wordsOf(compression).keepsLosses ? 1e-2 : 1e-3;
}

void checkByNccl(const std::vector<AggregationPlan>& plans)
{
    for (std::size_t i = 0; i < plans.size(); ++i) {
        CAPTURE(i);
        Attempt onDevice(2);
        onDevice.run.plan = plans[i];
        checkAlike(learntOnCpus(plans[i]), spoolByNccl(onDevice), toleranceOf(plans[i].compression));
        CHECK(busBytes(onDevice) < kFewBusBytes);
    }
}
#endif

std::int64_t sum(const PhaseTimes& phases)
{
    return std::accumulate(phases.begin(), phases.end(), std::int64_t{0});
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

} // namespace

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
    REQUIRE(spool.samples.size() == kIterations);
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

TEST_CASE("the cost of measuring that a rank reports counts the device's events")
{
    Attempt attempt;
    attempt.worker = test::testProgram("standinworker");
    attempt.run.iterations = kIterations;
    attempt.run.settings["device"] = std::string("cuda");
    const std::string said = attempt.exitCodeAndWords().second, event = ", each with an event of the GPU at ";
    const std::size_t at = said.find(event);
    REQUIRE_MESSAGE(at != std::string::npos, said);
    CHECK(std::atoi(said.c_str() + at + event.size()) > 0); // ns
}

TEST_CASE("pictures that are copied before the gradients of the batch before are there are those of the CPU")
{
    const auto learnt = [](std::int64_t prefetch, bool onDevice) {
        Attempt attempt(2);
        attempt.run.settings["data"] = std::string("synthetic-files");
        attempt.run.settings["pictures"] = std::int64_t{20};
        attempt.run.settings["prefetch"] = prefetch;
        return spoolOf(attempt, onDevice);
    };
    const Spool expected = learnt(2, false); // whose pictures do not depend on how many are prefetched
    for (const std::int64_t prefetch : {1, 2, 4}) {
        CAPTURE(prefetch);
        const Spool found = learnt(prefetch, true);
        REQUIRE(found.samples.size() == kIterations);
        REQUIRE(found.samples.size() == expected.samples.size());
        for (std::size_t i = 0; i < found.samples.size(); ++i)
            CHECK(found.samples[i].loss == doctest::Approx(expected.samples[i].loss).epsilon(1e-3));
    }
}

TEST_CASE("a batch that is given again and again is copied once")
{
    Attempt attempt;
    const Spool spool = spoolOf(attempt, true);
    REQUIRE(spool.samples.size() == kIterations);
    for (const Sample& sample : spool.samples)
        CHECK((sample.h2dTotalNs > 0) == (sample.seq == 0));
}

TEST_CASE("whatever exchanges gradients, two ranks on devices learn what two on CPUs learn")
{
    checkThroughHost({buckets(Grouping::fusion), inChunks(), rounded(Compression::fp16), servedBy(1)});
}

TEST_CASE(
    "with both passes as one graph a run learns the same, by every way of exchanging gradients but layer by layer")
{
    const std::vector<AggregationPlan> plans = {planNamed("one"), planNamed("buckets"), servedBy(1)};
    Attempt eager(2), eagerAlone;
    const Spool learnt = spoolOf(eager, true), learntAlone = spoolOf(eagerAlone, true);
    for (std::size_t i = 0; i <= plans.size(); ++i) {
        CAPTURE(i);
        const bool alone = i == plans.size();
        Attempt graphed(alone ? 1 : 2);
        if (!alone)
            graphed.run.plan = plans[i];
        graphed.run.settings["cuda_graph"] = std::string("on");
        const Spool b = spoolOf(graphed, true);
        checkAlike(alone ? learntAlone : learnt, b);
        CHECK(b.layers.empty());
        CHECK(b.buckets.empty() == alone); // what was sent is known, though layers are not
        for (const Sample& sample : b.samples) {
            CHECK(sample.phases[static_cast<std::size_t>(Phase::forward)] == 0);
            CHECK(sample.phases[static_cast<std::size_t>(Phase::backward)] > 0);
        }
    }
}

TEST_CASE("ranks on devices are calibrated with them; what MPI sums lies in the host's memory")
{
    Attempt attempt(2);
    attempt.worker = test::testProgram("standinworker");
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

#ifdef RINGSIDE_HAS_STANDIN_NCCL
TEST_CASE("with NCCL all-reduces of a calibration are of the devices' memory, and messages of two are not")
{
    Attempt attempt(2);
    const StandinProgram worker("standinncclworker");
    attempt.worker = worker.path();
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

TEST_CASE("every plan's iteration is enqueued while the device stands still, and gives what it gives on CPUs")
{
    for (const int ranks : {2, 3, 4}) {
        CAPTURE(ranks);
        const StandinProgram probe("queueprobe");
        auto group = RankGroup::start(ranks, {probe.path()}, Meeting::tcp);
        REQUIRE(group);
        const auto code = group->wait(std::chrono::minutes(5));
        REQUIRE(code);
        CHECK(*code == 0);
    }
}

TEST_CASE("two ranks whose gradients NCCL sums where they are learn what two on CPUs learn")
{
    checkByNccl({planNamed("one"), summedBy(Collective::hierarchical), buckets(Grouping::optimal), inChunks()});
}

TEST_CASE("gradients that NCCL sums are fused, rounded and coded on the device, too")
{
    checkByNccl({buckets(Grouping::fusion), rounded(Compression::bf16), rounded(Compression::fp16, Grouping::fusion),
                 rounded(Compression::onebit), rounded(Compression::topk)});
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

TEST_CASE("with serialised phases a copy is in its own phase whole")
{
    Attempt attempt;
    attempt.run.settings["timing"] = std::string("serialised");
    attempt.run.settings["data"] = std::string("synthetic-files");
    attempt.run.settings["pictures"] = std::int64_t{20};
    const Spool spool = spoolOf(attempt, true);
    REQUIRE(spool.samples.size() == kIterations);
    for (const Sample& sample : spool.samples) {
        CHECK(sample.h2dTotalNs > 0);
        CHECK(sample.phases[static_cast<std::size_t>(Phase::h2d)] >= sample.h2dTotalNs);
    }
}

TEST_CASE("a graph has no place for updates inside the forward pass, and a CPU no graphs")
{
    Attempt attempt(2);
    attempt.worker = test::testProgram("standinworker");
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
    attempt.worker = test::testProgram("standinworker");
    attempt.run.settings["device"] = std::string("cuda");
    attempt.run.settings["learning_rate"] = 1000.0;
    CHECK(attempt.exitCode() == exitcode::kNotANumber);
    CHECK(attempt.spool(0).samples.size() > 1);
}

TEST_CASE("also where it is the last loss")
{
    Attempt attempt;
    attempt.worker = test::testProgram("standinworker");
    attempt.run.settings["device"] = std::string("cuda");
    attempt.run.settings["learning_rate"] = 1000.0;
    attempt.run.warmup = 0;
    std::size_t iterations = 0;
    {
        Attempt first;
        first.run.settings["learning_rate"] = 1000.0;
        CHECK(first.exitCode() == exitcode::kNotANumber);
        iterations = first.spool(0).samples.size() - 1; // the last of these is the first without a number
    }
    attempt.run.iterations = static_cast<int>(iterations);
    CHECK(attempt.exitCode() == exitcode::kNotANumber);
    CHECK(attempt.spool(0).samples.size() == iterations);
}

TEST_CASE("a fault of the GPU ends the run with a code and a sentence of its own, wherever it is noticed")
{
    struct Fault
    {
        std::string place;
        AggregationPlan plan;
    };
    const auto buckets = planNamed("buckets");
    for (const Fault& fault : {Fault{"compute", buckets}, {"exchange", buckets}, {"exchange", servedBy(1)}}) {
        CAPTURE(fault.place);
        CAPTURE(fault.plan.name);
        Attempt attempt(2);
        attempt.worker = test::testProgram("standinworker");
        attempt.run.plan = fault.plan;
        attempt.run.settings["device"] = std::string("cuda");
        setenv("RINGSIDE_STANDIN_FAULT", fault.place.c_str(), 1);
        const auto [code, said] = attempt.exitCodeAndWords();
        unsetenv("RINGSIDE_STANDIN_FAULT");
        CHECK(code == exitcode::kEngineFailed);
        CHECK_MESSAGE(said.find("failed: CUDA error: an illegal memory access was encountered ") != std::string::npos,
                      said);
        CHECK_MESSAGE(said.find("dmesg") != std::string::npos, said);
    }
}

TEST_SUITE("thorough")
{
    TEST_CASE("all other ways of exchanging gradients through the host's memory")
    {
        checkThroughHost({planNamed("one"), planNamed("buckets"), buckets(Grouping::optimal)});
    }

#ifdef RINGSIDE_HAS_STANDIN_NCCL
    TEST_CASE("all other ways of summing by NCCL")
    {
        checkByNccl({planNamed("buckets"), planNamed("buckets-after"), summedBy(Collective::reduceScatterAllgather),
                     buckets(Grouping::perTensor)});
    }

    TEST_CASE("all other ways of fusing and rounding for NCCL")
    {
        checkByNccl({rounded(Compression::fp16), rounded(Compression::bf16, Grouping::fusion)});
    }
#endif
}
