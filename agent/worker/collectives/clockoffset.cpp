// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/clockoffset.h"

#include <limits>

namespace ringside {

namespace {

using Clock = std::function<std::int64_t()>;

std::span<std::byte> bytesOf(std::int64_t& time)
{
    return std::as_writable_bytes(std::span(&time, 1));
}

Result<void> answer(Communicator& communicator, const Clock& clock, int rank)
{
    for (int i = 0; i < kClockMessages; ++i) {
        std::int64_t time = 0;
        TRY(communicator.receive(bytesOf(time), rank));
        time = clock();
        TRY(communicator.send(bytesOf(time), rank));
    }
    return {};
}

/// The other clock was read at some moment between question and answer: in the middle, plus or minus half of that.
Result<ClockOffset> ask(Communicator& communicator, const Clock& clock)
{
    ClockOffset best{0, 0, std::numeric_limits<std::int64_t>::max()};
    for (int i = 0; i < kClockMessages; ++i) {
        const std::int64_t asked = clock();
        std::int64_t time = asked;
        TRY(communicator.send(bytesOf(time), 0));
        TRY(communicator.receive(bytesOf(time), 0));
        const std::int64_t half = (clock() - asked + 1) / 2;
        if (half < best.uncertaintyNs)
            best = {asked + half, time - (asked + half), half};
    }
    return best;
}

} // namespace

Result<ClockOffset> measureClockOffset(Communicator& communicator, const Clock& clock)
{
    ClockOffset own{clock(), 0, 0};
    for (int rank = 1; rank < communicator.worldSize(); ++rank) {
        if (communicator.rank() == 0) {
            TRY(answer(communicator, clock, rank));
        } else if (communicator.rank() == rank) {
            TRY_ASSIGN(own, ask(communicator, clock));
        }
    }
    return own;
}

} // namespace ringside
