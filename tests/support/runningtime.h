// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace ringside::test {

/// How long the machine has run since this was made. A virtual machine whose host halts it for half a minute grows
/// older by that, and nobody on it could have done anything meanwhile: such time is nobody's delay.
class RunningTime
{
public:
    RunningTime();
    std::chrono::milliseconds elapsed() const;

private:
    std::chrono::nanoseconds m_begin;
};

} // namespace ringside::test
