// SPDX-License-Identifier: MIT
// One process of three ranks and two asynchronous servers, where a unit that is cut over both is pushed in the order in
// which each server could wait for a rank that waits for the other server. Server 0 reads from A, then C, then B;
// server 1 reads from B, then C, then A. So when C's gradients come to a server, weights are on their way from it to a
// rank that still pushes to the other one, and that server does not read from that rank before the same has happened.
// Exit code 0 if all get their weights, and each server's steps are in that order.
#include "agent/worker/endprocess.h"
#include "agent/worker/plans/servers/serverlink.h"
#include "tests/worker/plans/servedworld.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

using namespace ringside;

namespace {

constexpr int kServers = 2;
constexpr std::size_t kNumbers = 2 * kCutNumbers; // a shard is too long to be sent before it is received
constexpr std::chrono::milliseconds kBetweenLooks{1};
constexpr OptimizerSettings kWholeSteps{1, 0, 0};

enum Rank : int
{
    kA,
    kB,
    kC
};

/// Work of a rank once its push to a server has been started.
using Afterwards = std::function<Result<void>(int server, Transfer& push)>;

/// A link makes these calls and no others.
class Directed : public Communicator
{
public:
    Directed(Communicator& world, Afterwards afterwards)
        : m_world(world)
        , m_afterwards(std::move(afterwards))
    {
    }
    using Communicator::receive;
    using Communicator::send;
    Result<std::unique_ptr<Transfer>> startSend(std::span<const std::byte> message, int to, int tag) override
    {
        TRY_ASSIGN(auto push, m_world.startSend(message, to, tag));
        TRY(m_afterwards(to - (worldSize() - kServers), *push));
        return push;
    }
    Result<std::unique_ptr<Transfer>> startReceive(std::span<std::byte> message, int from, int tag) override
    {
        return m_world.startReceive(message, from, tag);
    }
    Result<void> send(std::span<const std::byte> message, int to, int tag) override
    {
        return m_world.send(message, to, tag);
    }
    int rank() const override { return m_world.rank(); }
    int worldSize() const override { return m_world.worldSize(); }
    std::string transport() const override { return m_world.transport(); }

    Result<void> receive(std::span<std::byte>, int, int) override { return none(); }
    Result<void> allReduceSum(Numbers) override { return none(); }
    Result<void> reduceSum(Numbers, int) override { return none(); }
    Result<void> reduceScatterSum(Numbers) override { return none(); }
    Result<void> allGatherParts(Numbers) override { return none(); }
    Result<void> allReduceAnd(std::span<std::uint64_t>) override { return none(); }
    Result<void> broadcast(std::span<std::byte>, int) override { return none(); }
    Result<void> barrier() override { return none(); }
    Result<void> allGather(std::span<const std::byte>, std::span<std::byte>) override { return none(); }
    Result<void> allToAll(std::span<const std::byte>, std::span<std::byte>) override { return none(); }
    Result<Envelope> awaitMessage() override { return none(); }
    Result<std::unique_ptr<Communicator>> split(int) override { return none(); }
    void abort(int exitCode) override { m_world.abort(exitCode); }

private:
    static tl::unexpected<Error> none() { return fail(ErrorCode::internal, "No call of a link."); }

    Communicator& m_world;
    Afterwards m_afterwards;
};

/// The ranks keep the order by messages to each other, whichever of them has a core.
class Part
{
public:
    explicit Part(Communicator& ranks)
        : m_ranks(ranks)
    {
    }

    Result<void> beforePush() { return m_ranks.rank() == kA ? Result<void>() : hear(m_ranks.rank() == kB ? kC : kA); }
    Result<void> afterwards(int server, Transfer& push)
    {
        if (m_ranks.rank() == kB && server == 0)
            return {}; // it does not listen: it waits for A's weights to be taken
        if (m_ranks.rank() == kA && server == 1)
            return {}; // nor does this one, for B's
        TRY(push.await());
        if (m_ranks.rank() == kB)
            return tell(kC);
        if (m_ranks.rank() == kA) {
            TRY(tell(kC));
            return hear(kC);
        }
        TRY(tell(server == 0 ? kB : kA));
        return server == 0 ? hear(kB) : Result<void>();
    }

private:
    Result<void> tell(int rank) { return m_ranks.send({}, rank); }
    Result<void> hear(int rank) { return m_ranks.receive({}, rank); }

    Communicator& m_ranks;
};

/// Returns how many steps each server's weights have when this rank gets them.
std::array<float, kServers> stepsOf(int rank)
{
    constexpr std::array<float, kServers> kSteps[] = {{1, 3}, {3, 1}, {2, 2}};
    return kSteps[rank];
}

Result<bool> push(const AggregationPlan& plan, const test::ServedWorld& processes)
{
    Part part(*processes.ranks);
    Directed world(*processes.world, [&](int server, Transfer& push) { return part.afterwards(server, push); });
    ServerLink link(plan, world, processes.training, std::span(&kNumbers, 1));
    std::vector<float> numbers(kNumbers);
    if (processes.ranks->rank() == 0)
        TRY(link.start([&](std::uint32_t) { return std::span(numbers); }));
    std::ranges::fill(numbers, 1.0f);
    TRY(part.beforePush());
    TRY_ASSIGN(auto pushed, link.push(0, numbers));
    for (bool isDone = false; !isDone; std::this_thread::sleep_for(kBetweenLooks)) {
        TRY_ASSIGN(isDone, pushed.isDone());
    }
    const auto steps = stepsOf(processes.ranks->rank());
    return std::ranges::all_of(std::span(numbers).first(kCutNumbers),
                               [&](float number) { return number == -steps[0]; }) &&
           std::ranges::all_of(std::span(numbers).last(kCutNumbers), [&](float number) { return number == -steps[1]; });
}

int exitCode()
{
    AggregationPlan plan;
    plan.collective = Collective::parameterServer;
    plan.servers = kServers;
    plan.asynchronous = true;
    const auto processes = test::ServedWorld::join(kServers);
    if (!processes || processes->training != 3)
        return 2;
    if (processes->isServer) {
        processes->serve(plan, kWholeSteps);
        return 0;
    }
    const auto right = push(plan, *processes);
    if (!right)
        processes->giveUp(right.error());
    return *right ? 0 : 1;
}

} // namespace

int main()
{
    endProcess(exitCode());
}
