// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>

namespace ringside::test {

/// Time that the machine has run since this was made, as far as it had cores for what wanted to run: limits in tests
/// are read by it. A virtual machine whose host halts it for half a minute grows older by that, and no program on it
/// could have done anything meanwhile; and where four threads want to run on two cores, each has half of a core, so
/// that a second counts half.
class RunningTime
{
public:
    RunningTime();
    std::chrono::milliseconds elapsed() const;

private:
    std::chrono::nanoseconds m_begin;
};

/// Looks every 10 ms until the condition holds; false if it does not within the limit, read by RunningTime.
bool eventually(std::chrono::milliseconds limit, const std::function<bool()>& condition);

} // namespace ringside::test
