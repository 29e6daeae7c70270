// SPDX-License-Identifier: MIT
#include "tests/worker/plans/sentlog.h"

#include "agent/worker/collectives/traffic.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <fmt/ranges.h>

namespace {

constexpr int kMostRanks = 16;

struct Messages
{
    std::atomic<std::uint64_t> count = 0, bytes = 0;
};

std::array<Messages, kMostRanks> messagesTo; ///< by rank; Open MPI counts in any thread

} // namespace

/// Open MPI's own function of this name counts for files that are written at the end alone, while a process tries many
/// plans: its component finds the program's first.
extern "C" void mca_common_monitoring_record_pml(int rank, std::size_t bytes, int /*tag*/)
{
    Messages& messages = messagesTo.at(static_cast<std::size_t>(rank));
    ++messages.count;
    messages.bytes += bytes;
}

namespace ringside::test {

namespace {

struct Counted : Traffic
{
    std::uint64_t betweenNodes = 0;
};

/// By the ranks of a node as pretendNodes() says.
Counted sentOverMpi(const Communicator& communicator, int nodes)
{
    const int ranksOfNode = (communicator.worldSize() + nodes - 1) / nodes;
    Counted sent;
    for (int rank = 0; rank < communicator.worldSize(); ++rank) {
        const Messages& messages = messagesTo.at(static_cast<std::size_t>(rank));
        sent.bytes += messages.bytes;
        sent.messages += messages.count;
        if (rank / ranksOfNode != communicator.rank() / ranksOfNode)
            sent.betweenNodes += messages.bytes;
    }
    return sent;
}

} // namespace

SentLog::SentLog(const Communicator& communicator, int nodes)
    : m_communicator(communicator)
    , m_nodes(nodes)
{
    if (const char* folder = std::getenv(kSentVariable))
        m_file.open(fmt::format("{}/{}", folder, communicator.rank()));
    endTrial();
}

void SentLog::endTrial(const std::vector<std::uint64_t>& handedOver)
{
    if (!m_file.is_open())
        return;
    const auto tcp = sentBy(m_communicator);
    const Counted sent = tcp ? Counted{*tcp} : sentOverMpi(m_communicator, m_nodes);
    m_file << fmt::format("{} {} {}{}{}\n", sent.bytes, sent.messages, sent.betweenNodes, handedOver.empty() ? "" : " ",
                          fmt::join(handedOver, " "));
}

} // namespace ringside::test
