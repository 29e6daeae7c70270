// SPDX-License-Identifier: MIT
#include "core/logs/lineforms.h"

#include "core/base/sequences.h"

namespace ringside::logs {

LineForms::LineForms(const LogFormat& format)
    : m_format(format)
    , m_index(mapped(format.lines, [](const LineForm& form) { return form.pattern.key(); }))
    , m_isSeen(format.lines.size())
{
}

const LineForm* LineForms::find(std::string_view text, LineValues& values)
{
    constexpr std::size_t kMostTried = 6; // without a look for keys
    const auto& forms = m_format.lines;
    for (std::size_t form = 0; form < m_likely; ++form)
        if (forms[form].pattern.match(text, values))
            return &forms[form];
    m_likely = 0;
    m_index.find(text, m_candidates);
    for (const std::uint32_t form : m_candidates)
        if (forms[form].pattern.match(text, values)) {
            m_likely = form < kMostTried ? form + 1 : 0;
            return &forms[form];
        }
    return nullptr;
}

std::vector<VersionRange> LineForms::versionsSeen() const
{
    std::vector<VersionRange> seen;
    for (std::size_t form = 0; form < m_isSeen.size(); ++form)
        if (const VersionRange& range = m_format.lines[form].versions;
            m_isSeen[form] && !range.isAll() && !contains(seen, range))
            seen.push_back(range);
    return seen;
}

} // namespace ringside::logs
