// SPDX-License-Identifier: MIT
#include "agent/relay/journaltail.h"

namespace ringside::relay {

std::vector<JournalLine> JournalTail::read()
{
    while (auto piece = m_follower.next())
        m_partial += piece->bytes;
    std::vector<JournalLine> lines;
    std::size_t begin = 0;
    for (std::size_t end; (end = m_partial.find('\n', begin)) != std::string::npos; begin = end + 1) {
        JournalLine line{m_partial.substr(begin, end + 1 - begin), m_offset + begin, std::nullopt};
        if (auto event = decodeJournalLine(line.bytes))
            line.event = std::move(*event);
        lines.push_back(std::move(line));
    }
    m_partial.erase(0, begin);
    m_offset += begin;
    return lines;
}

} // namespace ringside::relay
