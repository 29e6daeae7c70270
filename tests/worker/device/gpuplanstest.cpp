// SPDX-License-Identifier: MIT
// Every plan on two ranks of one GPU, and ranks of a GPU that are killed. By TCP: such a machine need not have MPI.
#include "agent/worker/cuda/pluginloader.h"
#include "tests/support/built.h"
#include "tests/worker/plans/plansfortests.h"
#include "tests/worker/train/attempt.h"

#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace ringside;
using namespace std::chrono_literals;
using ringside::test::Attempt;
using ringside::test::Spool;

namespace {

bool isSkipped()
{
    const auto plugin = cuda::loadPlugin();
    if (!plugin)
        MESSAGE("skipped: ", plugin.error().text());
    return !plugin;
}

/// The worker with a host of its own for each rank as far as NCCL knows, which refuses a GPU to two ranks of one host.
std::string workerOfItsOwnHost(const fs::path& folder)
{
    const auto script = folder / "worker";
    std::ofstream(script) << "#!/bin/sh\nexport NCCL_HOSTID=test-$RINGSIDE_RANK\nexec "
                          << test::builtProgram("ringside-worker") << " \"$@\"\n";
    fs::permissions(script, fs::perms::owner_all);
    return script.string();
}

void prepare(Attempt& attempt, const AggregationPlan& plan, const std::string& device, const std::string& backend)
{
    attempt.meeting = Meeting::tcp;
    attempt.run.plan = plan;
    attempt.run.settings["device"] = device;
    if (backend == "nccl") {
        attempt.run.settings["backend"] = backend;
        attempt.worker = workerOfItsOwnHost(attempt.folder());
    }
}

std::vector<double> losses(const AggregationPlan& plan, const std::string& device, const std::string& backend = {})
{
    Attempt attempt(2);
    prepare(attempt, plan, device, backend);
    CHECK(attempt.exitCode() == exitcode::kDone);
    std::vector<double> losses;
    for (const Sample& sample : attempt.spool(0).samples)
        losses.push_back(sample.loss);
    return losses;
}

/// Rounding on the way there and in the sums; a code of one bit follows its own path after the first iterations.
double tolerance(const AggregationPlan& plan)
{
    if (!plan.isLossy())
        return 1e-3;
    return wordsOf(plan.compression).keepsLosses ? 0.5 : 5e-2;
}

void checkAlike(const std::vector<double>& cpu, const std::vector<double>& gpu, double epsilon)
{
    REQUIRE(gpu.size() == cpu.size());
    REQUIRE_FALSE(gpu.empty());
    for (std::size_t i = 0; i < cpu.size(); ++i)
        CHECK(gpu[i] == doctest::Approx(cpu[i]).epsilon(epsilon));
}

std::vector<AggregationPlan> plans()
{
    auto all = test::plansOfFixedGroups();
    const auto fused = test::planOf(Collective::allreduce, Grouping::fusion, Schedule::overlapped);
    const auto first = test::planOf(Collective::allreduce, Grouping::buckets, Schedule::priority);
    const auto served = test::servedPlan(1, Grouping::buckets, Schedule::overlapped);
    all.insert(all.end(), {fused, first, served});
    return all;
}

void awaitSamples(const Attempt& attempt)
{
    for (int i = 0; i < 1200 && (attempt.spool(0).samples.empty() || attempt.spool(1).samples.empty()); ++i)
        std::this_thread::sleep_for(100ms);
}

} // namespace

TEST_CASE("under every plan two ranks of a GPU learn what two of a CPU learn")
{
    if (isSkipped())
        return;
    for (const AggregationPlan& plan : plans()) {
        INFO(nameOf(plan.collective), ", ", nameOf(plan.grouping), ", ", nameOf(plan.schedule), ", ",
             nameOf(plan.compression));
        const auto right = losses(plan, "cpu");
        checkAlike(right, losses(plan, "cuda"), tolerance(plan));
        if (plan.serverRanks() == 0)
            checkAlike(right, losses(plan, "cuda", "nccl"), tolerance(plan));
    }
}

TEST_CASE("a rank of a GPU that is killed ends the other, whatever sums")
{
    if (isSkipped())
        return;
    for (const std::string backend : {"", "nccl"}) {
        INFO(backend);
        Attempt attempt(2);
        prepare(attempt, test::planNamed("buckets"), "cuda", backend);
        attempt.run.iterations = 10'000'000;
        auto group = attempt.start();
        awaitSamples(attempt);
        const auto pids = test::ranksOf(::getpid(), 2);
        REQUIRE(pids.size() == 2);
        ::kill(pids[1], SIGKILL);
        const auto code = group.wait(60s);
        REQUIRE(code);
        CHECK(*code != 0);
        CHECK_FALSE(attempt.spool(0).samples.empty());
        CHECK_FALSE(attempt.spool(1).end);
    }
}
