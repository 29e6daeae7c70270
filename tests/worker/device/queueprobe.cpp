// SPDX-License-Identifier: MIT
// One rank, over stand-ins for a GPU and NCCL: whole iterations of every plan are enqueued while the device stands
// still, and become what they become in the host's memory. Until the device goes on gradients are no numbers, so who
// does not wait for them there is found out. Exit code 0 if all is right on this rank.
#include "agent/worker/collectives/backends.h"
#include "agent/worker/cuda/nccl.h"
#include "agent/worker/device/tensors.h"
#include "agent/worker/endprocess.h"
#include "agent/worker/plans/aggregator.h"
#include "tests/worker/device/standindevice.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <thread>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

/// The last has more numbers than two blocks of the code of one bit, for each of four ranks.
constexpr std::int64_t kNumbers[] = {300, 7, 9'001};
constexpr int kIterations = 3;
constexpr auto kPatience = 20s;

/// Work that lasts until it is let go, or for too long.
class Gate
{
public:
    /// Closes it, for the stream on which the calling thread enqueues.
    void close()
    {
        m_isOpen = false;
        test::enqueueHere([this] {
            const auto began = std::chrono::steady_clock::now();
            while (!m_isOpen && !m_wasTooLong) {
                m_wasTooLong = std::chrono::steady_clock::now() - began > kPatience;
                std::this_thread::sleep_for(100us);
            }
        });
    }
    void open() { m_isOpen = true; }
    bool wasTooLong() const { return m_wasTooLong; }

private:
    std::atomic<bool> m_isOpen = true, m_wasTooLong = false;
};

std::vector<Parameter> parametersOn(c10::Device device)
{
    std::vector<Parameter> parameters;
    for (const std::int64_t count : kNumbers)
        parameters.push_back({fmt::format("of {}", count), at::zeros({count}).to(device).requires_grad_(true)});
    return parameters;
}

/// Returns the gradient of this rank, in the host's memory.
at::Tensor gradientOf(int rank, int iteration, std::size_t tensor)
{
    at::manual_seed(static_cast<std::uint64_t>(100 * iteration + 10 * rank) + tensor);
    return at::randn({kNumbers[tensor]});
}

using Gradients = std::vector<at::Tensor>;

/// Returns the gradients after the last of some iterations.
Result<Gradients> aggregate(const AggregationPlan& plan, Communicator& ranks, c10::Device device, Gate& gate)
{
    const auto parameters = parametersOn(device);
    TRY_ASSIGN(const auto aggregator, makeAggregator({plan, parameters, ranks}));
    for (int iteration = 0; iteration < kIterations; ++iteration) {
        Gradients computed, there;
        for (std::size_t tensor = 0; tensor < parameters.size(); ++tensor) {
            computed.push_back(gradientOf(ranks.rank(), iteration, tensor).to(device));
            there.push_back(at::full_like(computed.back(), std::numeric_limits<float>::quiet_NaN()));
        }
        // By priority the next one to send is chosen from the computed ones, so the device has to go on there.
        if (!device.is_cpu() && plan.schedule != Schedule::priority)
            gate.close();
        aggregator->begin();
        for (std::size_t tensor = parameters.size(); tensor-- > 0;) {
            there[tensor].copy_(computed[tensor], /*non_blocking=*/true);
            parameters[tensor].value.mutable_grad() = there[tensor];
            aggregator->ready(tensor);
        }
        for (std::size_t tensor = 0; aggregator->isLayerwise() && tensor < parameters.size(); ++tensor)
            TRY(aggregator->await(tensor));
        TRY(aggregator->finish());
        gate.open();
        std::uint64_t bytes = 0;
        for (const BucketTiming& message : aggregator->timings().get())
            bytes += message.lengthNs > 0 ? message.bytes : 0;
        if (bytes == 0)
            return fail(ErrorCode::internal, "nothing was sent, or took no time");
    }
    Gradients gradients;
    for (const Parameter& parameter : parameters)
        gradients.push_back(parameter.value.grad().cpu().clone());
    return gradients;
}

double worstError(const Gradients& right, const Gradients& found)
{
    double worst = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
        // A tensor without any of the largest numbers is all 0.
        const double error = ((found[i] - right[i]).norm() / right[i].norm().clamp_min(1e-6)).item<double>();
        worst = std::max(worst, std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
    }
    return worst;
}

/// The same bits on all ranks.
Result<bool> areSame(Communicator& ranks, const Gradients& gradients)
{
    for (const at::Tensor& gradient : gradients) {
        const auto mine = memoryOf(gradient);
        std::vector<std::byte> all(mine.size() * static_cast<std::size_t>(ranks.worldSize()));
        TRY(ranks.allGather(mine, all));
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i] != mine[i % mine.size()])
                return false;
    }
    return true;
}

/// Sums of what was rounded or coded are rounded in another order.
double toleranceOf(Compression compression)
{
    return compression == Compression::none || compression == Compression::topk ? 1e-6 : 1e-3;
}

Result<bool> isGood(const AggregationPlan& plan, Communicator& ranks)
{
    Gate gate;
    TRY_ASSIGN(const Gradients right, aggregate(plan, ranks, c10::kCPU, gate));
    TRY_ASSIGN(const Gradients found, aggregate(plan, ranks, {test::kStandIn, 0}, gate));
    TRY_ASSIGN(const bool same, areSame(ranks, found));
    const double error = worstError(right, found);
    const bool good = same && !gate.wasTooLong() && error <= toleranceOf(plan.compression);
    if (!good)
        fmt::print("rank {}: {} {} {} {}: error {:.1e}{}{}\n", ranks.rank(), nameOf(plan.collective),
                   nameOf(plan.grouping), nameOf(plan.schedule), nameOf(plan.compression), error,
                   same ? "" : ", not the same on all ranks", gate.wasTooLong() ? ", waits for the device" : "");
    return good;
}

std::vector<AggregationPlan> allPlans()
{
    std::vector<AggregationPlan> plans;
    for (const Collective collective :
         {Collective::allreduce, Collective::hierarchical, Collective::reduceScatterAllgather})
        for (const Grouping grouping : {Grouping::one, Grouping::perTensor, Grouping::buckets, Grouping::fusion})
            for (const Schedule schedule : kSchedules)
                for (const Compression compression : kCompressions) {
                    AggregationPlan plan;
                    plan.collective = collective;
                    plan.grouping = grouping;
                    plan.schedule = schedule;
                    plan.compression = compression;
                    plan.chunkBytes = 10'000;
                    if (!whyNotComposed(plan))
                        plans.push_back(plan);
                }
    return plans;
}

Result<bool> areAllGood()
{
    TRY_ASSIGN(auto ranks, makeCommunicator());
    TRY(useBackend(Backend::nccl, ranks));
    ranks->pretendHost(fmt::format("node-{}", ranks->rank() / 2)); // two nodes of two ranks
    bool good = true;
    for (const AggregationPlan& plan : allPlans()) {
        TRY_ASSIGN(const bool thisOne, isGood(plan, *ranks));
        good = good && thisOne;
    }
    return good;
}

} // namespace

int main()
{
    test::installStandInDevice();
    at::set_num_threads(1);
    const auto good = areAllGood();
    if (!good)
        fmt::print("{}\n", good.error().text());
    std::fflush(stdout);
    endProcess(good && *good ? 0 : 1);
}
