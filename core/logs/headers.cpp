// SPDX-License-Identifier: MIT
#include "core/logs/headers.h"

#include "core/logs/namenumbers.h"

namespace ringside::logs {

std::uint64_t Headers::headerOf(const KnownLine& line)
{
    const bool isReporter = line.form->meaning == Meaning::reporter;
    if (line.form->meaning != Meaning::context || line.number > m_lastContext + 1)
        m_header = line.number;
    if (!isReporter || line.form->scope != Scope::rank || isOneProcess(line.rank))
        return m_header;
    if (!m_prelude || m_begun >= line.values.whole(Quantity::ranks).value_or(1)) {
        m_firstReporter = line.number;
        m_begun = 0;
    }
    ++m_begun;
    return m_firstReporter;
}

std::uint64_t Headers::add(const KnownLine& line)
{
    const std::uint64_t header = headerOf(line);
    m_prelude = m_prelude.value_or(line.number);
    m_lastContext = line.number;
    return header;
}

} // namespace ringside::logs
