// SPDX-License-Identifier: MIT
#include "agent/worker/plans/communicationthread.h"
#include "agent/worker/collectives/backends.h"
#include "agent/worker/plans/agreeingthread.h"
#include "agent/worker/plans/servers/pushpullthread.h"

#include <array>
#include <atomic>
#include <doctest/doctest.h>
#include <new>

using namespace ringside;

namespace {

/// What compressions throw where there is no memory for what they lose.
class ThrowingExchange : public Exchange
{
public:
    Result<std::uint64_t> sum(std::uint32_t, std::span<float>) override { throw std::bad_alloc(); }
};

/// Fails with the bucket of this number, and counts what it was asked for.
class FailingExchange : public Exchange
{
public:
    explicit FailingExchange(std::uint32_t bad)
        : m_bad(bad)
    {
    }
    Result<std::uint64_t> sum(std::uint32_t unit, std::span<float> gradients) override
    {
        ++calls;
        if (unit == m_bad)
            return fail(ErrorCode::unavailable, "The peer has gone.");
        return gradients.size_bytes();
    }

    std::atomic<int> calls = 0;

private:
    std::uint32_t m_bad;
};

} // namespace

TEST_CASE("after an exchange that failed no other one is begun, and every wait tells why")
{
    std::array<float, 4> numbers{};
    FailingExchange exchange(1);
    {
        std::atomic<bool> mayBegin = false;
        CommunicationThread thread(exchange, [&](std::uint32_t) { mayBegin.wait(false); });
        for (std::uint32_t bucket = 0; bucket < 4; ++bucket)
            thread.push(bucket, {numbers, {}});
        mayBegin = true;
        mayBegin.notify_all();
        for (int i = 0; i < 2; ++i) {
            const auto failed = thread.awaitCount(4);
            REQUIRE_FALSE(failed);
            CHECK(failed.error().message == "The peer has gone.");
        }
    }
    CHECK(exchange.calls == 2);
}

TEST_CASE("what an exchange throws is the error of every wait, and of the engine")
{
    std::array<float, 4> numbers{};
    ThrowingExchange exchange;
    CommunicationThread thread(exchange);
    thread.push(0, Payload(numbers));
    const auto failed = thread.awaitCount(1);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == ErrorCode::internal);
    CHECK(failed.error().message == "The exchange of gradients failed: std::bad_alloc");
}

TEST_CASE("so it is where ranks first agree on what goes together")
{
    std::array<float, 4> numbers{};
    ThrowingExchange exchange;
    const auto communicator = makeSingleCommunicator();
    AgreeingThread thread(*communicator, exchange, 1, std::chrono::microseconds(0),
                          [](const AgreeingThread::Units& ready) { return std::vector<AgreeingThread::Units>{ready}; },
                          {});
    thread.begin();
    thread.offer(0, Payload(numbers));
    const auto failed = thread.awaitAll();
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message == "The exchange of gradients failed: std::bad_alloc");
}

TEST_CASE("so it is where gradients are pushed to servers")
{
    std::array<float, 4> numbers{};
    AggregationPlan plan;
    plan.collective = Collective::parameterServer;
    const auto communicator = makeSingleCommunicator();
    ServerLink link(plan, *communicator, 1, std::array{numbers.size()});
    PushPullThread thread(link, {0}, [](bool) { throw std::bad_alloc(); });
    thread.begin();
    thread.push(0, Payload(numbers));
    for (const auto& failed : {thread.awaitUnit(0), thread.awaitAll()}) {
        REQUIRE_FALSE(failed);
        CHECK(failed.error().code == ErrorCode::internal);
        CHECK(failed.error().message == "The exchange of gradients failed: std::bad_alloc");
    }
}
