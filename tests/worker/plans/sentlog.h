// SPDX-License-Identifier: MIT
// How a probe's processes tell their test what they have sent, where their transport counts it.
#pragma once

#include "agent/worker/collectives/traffic.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>

namespace ringside::test {

/// Names a folder, in which each process writes a file: a line of bytes and messages for each plan, as counted until
/// its end.
inline constexpr const char* kSentVariable = "RINGSIDE_TEST_SENT";

inline void logSent(const Communicator& communicator)
{
    const char* folder = std::getenv(kSentVariable);
    const auto sent = sentBy(communicator);
    if (folder && sent)
        std::ofstream(fmt::format("{}/{}", folder, communicator.rank()), std::ios::app)
            << sent->bytes << ' ' << sent->messages << '\n';
}

} // namespace ringside::test
