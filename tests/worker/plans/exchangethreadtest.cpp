// SPDX-License-Identifier: MIT
#include "agent/worker/plans/exchangethread.h"
#include "agent/worker/collectives/backends.h"
#include "agent/worker/plans/collectivecarrier.h"
#include "agent/worker/plans/servers/servercarrier.h"
#include "agent/worker/train/delays.h"
#include "tests/worker/plans/awaitall.h"

#include <array>
#include <atomic>
#include <doctest/doctest.h>
#include <functional>
#include <new>
#include <string>
#include <thread>

using namespace ringside;
using ringside::test::awaitAll;

namespace {

/// Throws as compressions do without memory for what they lose.
class ThrowingExchange : public Exchange
{
public:
    Result<std::uint64_t> sum(std::uint32_t, std::span<float>) override { throw std::bad_alloc(); }
};

/// Fails with the bucket of this number, and counts what it was asked for.
class FailingExchange : public Exchange
{
public:
    FailingExchange(std::uint32_t bad, std::atomic<int>& calls)
        : m_bad(bad)
        , m_calls(calls)
    {
    }
    Result<std::uint64_t> sum(std::uint32_t unit, std::span<float> gradients) override
    {
        ++m_calls;
        if (unit == m_bad)
            return fail(ErrorCode::unavailable, "The peer has gone.");
        return gradients.size_bytes();
    }

private:
    std::uint32_t m_bad;
    std::atomic<int>& m_calls;
};

std::unique_ptr<Carrier> carrierOf(std::unique_ptr<Exchange> exchange)
{
    return std::make_unique<CollectiveCarrier>(std::move(exchange));
}

/// Calls something before each message.
class Preceded : public Carrier
{
public:
    Preceded(std::unique_ptr<Carrier> carrier, std::function<void()> before)
        : m_carrier(std::move(carrier))
        , m_before(std::move(before))
    {
    }
    void await(std::span<const Payload> payloads) override { m_carrier->await(payloads); }
    Result<std::unique_ptr<Started>> start(const Units& units, std::span<const Payload> payloads) override
    {
        m_before();
        return m_carrier->start(units, payloads);
    }

private:
    std::unique_ptr<Carrier> m_carrier;
    std::function<void()> m_before;
};

/// As on a GPU: a message is done for the compute thread once it is enqueued, and ends when the GPU has come there,
/// until which the exchange thread looks again and again.
class Enqueuing : public Carrier
{
public:
    /// `started` counts messages; of them `ended` have.
    Enqueuing(std::atomic<int>& started, const std::atomic<int>& ended)
        : m_started(started)
        , m_ended(ended)
    {
    }
    void await(std::span<const Payload>) override {}
    Result<std::unique_ptr<Started>> start(const Units&, std::span<const Payload>) override
    {
        return std::make_unique<Message>(++m_started, m_ended);
    }

private:
    class Message : public Started
    {
    public:
        Message(int number, const std::atomic<int>& ended)
            : m_number(number)
            , m_ended(ended)
        {
        }
        Result<std::optional<Sent>> poll() override
        {
            return m_ended >= m_number ? std::optional(Sent{}) : std::nullopt;
        }
        const c10::Event* there() const override { return &m_there; }

    private:
        const int m_number;
        const std::atomic<int>& m_ended;
        c10::Event m_there{c10::DeviceType::CPU};
    };

    std::atomic<int>& m_started;
    const std::atomic<int>& m_ended;
};

} // namespace

TEST_CASE("after an exchange that failed no other one is begun, and every wait returns why")
{
    std::array<float, 4> numbers{};
    std::atomic<int> calls = 0;
    {
        std::atomic<bool> mayBegin = false;
        ExchangeThread thread(inOrder(),
                              std::make_unique<Preceded>(carrierOf(std::make_unique<FailingExchange>(1, calls)),
                                                         [&] { mayBegin.wait(false); }),
                              4);
        for (std::uint32_t unit = 0; unit < 4; ++unit)
            thread.offer(unit, Payload(numbers));
        mayBegin = true;
        mayBegin.notify_all();
        for (int i = 0; i < 2; ++i) {
            const auto failed = awaitAll(thread, 4);
            REQUIRE_FALSE(failed);
            CHECK(failed.error().message == "The peer has gone.");
        }
    }
    CHECK(calls == 2);
}

TEST_CASE("units travel in their order, whatever the order in which they become ready")
{
    std::array<float, 4> numbers{};
    std::atomic<int> calls = 0;
    std::vector<int> callsBeforeLast;
    ExchangeThread thread(
        inOrder(),
        delayed(carrierOf(std::make_unique<FailingExchange>(9, calls)), 3, [&] { callsBeforeLast.push_back(calls); }),
        3);
    for (int iteration = 0; iteration < 2; ++iteration) {
        thread.begin();
        for (const std::uint32_t unit : {2u, 0u, 1u})
            thread.offer(unit, Payload(numbers));
        REQUIRE(thread.awaitUnit(1));
        REQUIRE(awaitAll(thread, 3));
        std::vector<std::uint32_t> order;
        for (const BucketTiming& timing : thread.timings().get()) {
            order.push_back(timing.bucket);
            CHECK(timing.bytes == sizeof numbers);
        }
        CHECK(order == std::vector<std::uint32_t>{0, 1, 2});
    }
    CHECK(callsBeforeLast == std::vector<int>{2, 5}); // as a test's delay comes before the last
}

TEST_CASE("the most urgent of what waits travels next, equals as they came")
{
    const auto policy = mostUrgentFirst({0, 0, 1, 1});
    for (const std::uint32_t unit : {1u, 0u, 3u, 2u})
        policy->add(unit);
    std::vector<std::uint32_t> order;
    while (policy->hasWork())
        order.push_back(policy->next()->front().name);
    CHECK(order == std::vector<std::uint32_t>{3, 2, 1, 0});
}

TEST_CASE("what an exchange throws is the error of every wait, and of the engine, whatever the policy")
{
    std::array<float, 4> numbers{};
    const auto communicator = makeSingleCommunicator();
    const auto all = [](const Units& ready) { return std::vector<Units>{ready}; };
    for (const bool isAgreed : {false, true}) {
        auto policy =
            isAgreed ? agreed(*communicator, 1, {std::chrono::microseconds(0)}, all, Named::byUnit) : inOrder();
        ExchangeThread thread(std::move(policy), carrierOf(std::make_unique<ThrowingExchange>()), 1);
        thread.begin();
        thread.offer(0, Payload(numbers));
        for (const auto& failed : {thread.awaitUnit(0), awaitAll(thread, 1)}) {
            REQUIRE_FALSE(failed);
            CHECK(failed.error().code == ErrorCode::internal);
            CHECK(failed.error().message == "The exchange of gradients failed: std::bad_alloc");
        }
    }
}

TEST_CASE("so it is where gradients are pushed to servers")
{
    std::array<float, 4> numbers{};
    AggregationPlan plan;
    plan.collective = Collective::parameterServer;
    const auto communicator = makeSingleCommunicator();
    auto link = std::make_unique<ServerLink>(plan, *communicator, 1, std::array{numbers.size()});
    ExchangeThread thread(mostUrgentFirst({0}),
                          delayed(std::make_unique<ServerCarrier>(std::move(link)), 1, [] { throw std::bad_alloc(); }),
                          1);
    thread.begin();
    thread.offer(0, Payload(numbers));
    for (const auto& failed : {thread.awaitUnit(0), awaitAll(thread, 1)}) {
        REQUIRE_FALSE(failed);
        CHECK(failed.error().message == "The exchange of gradients failed: std::bad_alloc");
    }
}

TEST_CASE("a cycle that goes on is waited for by what becomes ready within it")
{
    constexpr std::chrono::milliseconds kCycle{100};
    const auto communicator = makeSingleCommunicator();
    const auto all = [](const Units& ready) { return std::vector<Units>{ready}; };
    const auto policy = agreed(*communicator, 2, {kCycle, true}, all, Named::byPlace);
    policy->add(0);
    REQUIRE(policy->next()->front().name == 0);
    const auto began = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(kCycle * 5 / 4);
    policy->add(1);
    REQUIRE(policy->next()->front().name == 1);
    CHECK(std::chrono::steady_clock::now() - began > kCycle * 19 / 10);
}

TEST_CASE("a vote is summed while the next iteration goes on, and before anything that it sends")
{
    for (const bool isServed : {false, true}) {
        std::array<float, 4> numbers{};
        std::atomic<int> calls = 0;
        std::atomic<bool> mayVote = false;
        std::vector<std::string> order;
        ExchangeThread thread(isServed ? mostUrgentFirst({0, 0}) : inOrder(),
                              std::make_unique<Preceded>(carrierOf(std::make_unique<FailingExchange>(9, calls)),
                                                         [&] { order.emplace_back("message"); }),
                              2);
        thread.voteBy([&](std::span<float> votes) {
            mayVote.wait(false);
            order.emplace_back("vote");
            votes[1] += 2;
            return Result<void>();
        });
        CHECK(thread.awaitVote().value() == Votes{}); // none was started
        thread.startVote({0, 1});
        thread.begin();
        for (const std::uint32_t unit : {0u, 1u})
            thread.offer(unit, Payload(numbers));
        mayVote = true;
        mayVote.notify_all();
        CHECK(thread.awaitVote().value() == Votes{0, 3});
        REQUIRE(awaitAll(thread, 2));
        CHECK(order == std::vector<std::string>{"vote", "message", "message"});
        for (int iteration = 0; iteration < 200; ++iteration) { // as a run does it, for the thread sanitizer
            thread.startVote({});
            thread.begin();
            thread.offer(1, Payload(numbers));
            thread.offer(0, Payload(numbers));
            REQUIRE(thread.awaitVote());
            REQUIRE(awaitAll(thread, 2));
        }
    }
}

// Ranks that put a vote and a message into different orders wait for each other for ever.
TEST_CASE("a vote comes before what is offered behind it, while the thread looks after messages on a GPU, too")
{
    std::array<float, 4> numbers{};
    std::atomic<int> started = 0, ended = 0, early = 0;
    ExchangeThread thread(inOrder(), std::make_unique<Enqueuing>(started, ended), 1);
    int expected = 0;
    thread.voteBy([&](std::span<float>) {
        early += started != expected;
        return Result<void>();
    });
    for (int iteration = 0; iteration < 30'000; ++iteration) {
        thread.begin();
        thread.offer(0, Payload(numbers));
        REQUIRE(awaitAll(thread, 1)); // enqueued: the vote before has been summed
        expected = iteration + 1;
        ended = iteration; // the one before
        thread.startVote({});
    }
    REQUIRE(thread.awaitVote());
    ended = started.load();
    CHECK(early.load() == 0);
}

TEST_CASE("a vote that fails is the error of every wait")
{
    std::atomic<int> calls = 0;
    ExchangeThread thread(inOrder(), carrierOf(std::make_unique<FailingExchange>(9, calls)), 1);
    thread.voteBy([](std::span<float>) { return Result<void>(fail(ErrorCode::unavailable, "The peer has gone.")); });
    thread.startVote({});
    CHECK(thread.awaitVote().error().message == "The peer has gone.");
    CHECK(awaitAll(thread, 1).error().message == "The peer has gone.");
}

TEST_CASE("a thread that ends lets the vote under way end before it, and leaves another one")
{
    std::atomic<int> votes = 0, calls = 0;
    std::atomic<bool> mayEnd = false;
    auto thread =
        std::make_unique<ExchangeThread>(inOrder(), carrierOf(std::make_unique<FailingExchange>(9, calls)), 1);
    thread->voteBy([&](std::span<float>) {
        ++votes;
        votes.notify_all();
        mayEnd.wait(false);
        return Result<void>();
    });
    thread->startVote({});
    votes.wait(0);
    std::jthread ends([&] { thread.reset(); });
    mayEnd = true;
    mayEnd.notify_all();
    ends.join();
    CHECK(votes == 1);
}
