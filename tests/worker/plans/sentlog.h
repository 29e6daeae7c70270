// SPDX-License-Identifier: MIT
// How a probe's processes tell their test what they have sent, where their transport counts it.
#pragma once

#include "agent/worker/collectives/traffic.h"

#include <cstdlib>
#include <fmt/ranges.h>
#include <fstream>
#include <vector>

namespace ringside::test {

/// Names a folder, in which each process writes a file, named by its rank: a line for each plan, of bytes and messages
/// as counted until its end, and behind them the bytes that it handed over, each time.
inline constexpr const char* kSentVariable = "RINGSIDE_TEST_SENT";

inline void logSent(const Communicator& communicator, const std::vector<std::uint64_t>& handedOver = {})
{
    const char* folder = std::getenv(kSentVariable);
    const auto sent = sentBy(communicator);
    if (folder && sent)
        std::ofstream(fmt::format("{}/{}", folder, communicator.rank()), std::ios::app) << fmt::format(
            "{} {}{}{}\n", sent->bytes, sent->messages, handedOver.empty() ? "" : " ", fmt::join(handedOver, " "));
}

} // namespace ringside::test
