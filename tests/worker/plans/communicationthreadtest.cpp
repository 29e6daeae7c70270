// SPDX-License-Identifier: MIT
#include "agent/worker/plans/communicationthread.h"

#include <array>
#include <atomic>
#include <doctest/doctest.h>

using namespace ringside;

namespace {

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
