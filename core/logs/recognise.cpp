// SPDX-License-Identifier: MIT
#include "core/logs/recognise.h"

#include "core/logs/ranktag.h"

#include <algorithm>

namespace ringside::logs {

namespace {

/// Lines that tell work or time. A “Batch size: 32” is printed by many programs.
bool countsFor(const LineForm& form)
{
    return form.meaning != Meaning::context && form.meaning != Meaning::start && form.meaning != Meaning::test;
}

bool knows(const LogFormat& format, std::string_view line)
{
    LineValues values;
    return std::any_of(format.lines.begin(), format.lines.end(),
                       [&](const LineForm& form) { return countsFor(form) && form.pattern.match(line, values); });
}

} // namespace

Recogniser::Recogniser(std::span<const LogFormat> formats)
    : m_formats(formats)
    , m_known(formats.size())
{
}

bool Recogniser::read(std::string_view line)
{
    takeRankTag(line);
    bool any = m_linesSince > 0;
    for (std::size_t i = 0; i < m_formats.size(); ++i)
        if (knows(m_formats[i], line)) {
            ++m_known[i];
            any = true;
        }
    m_linesSince += any;
    return m_linesSince < kLinesToDecide;
}

const LogFormat* Recogniser::best() const
{
    const auto most = std::max_element(m_known.begin(), m_known.end());
    return most == m_known.end() || *most == 0 ? nullptr : &m_formats[static_cast<std::size_t>(most - m_known.begin())];
}

const LogFormat* Recogniser::second() const
{
    const LogFormat* first = best();
    const LogFormat* found = nullptr;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < m_formats.size(); ++i)
        if (&m_formats[i] != first && m_known[i] > most) {
            found = &m_formats[i];
            most = m_known[i];
        }
    return found;
}

} // namespace ringside::logs
