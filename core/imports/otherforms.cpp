// SPDX-License-Identifier: MIT
#include "core/imports/otherforms.h"

namespace ringside::imports {

namespace {

/// So many lines in a row are passed over before any is looked at, and so many of these without a record end it.
constexpr std::uint64_t kUsualGap = 5, kMostLookedAt = 2'000;
/// Fewer records may be lines of the own program that look alike.
constexpr std::uint64_t kLeastRecords = 3;

} // namespace

OtherForms::OtherForms(std::span<const logs::LogFormat> formats, const logs::LogFormat& own)
    : m_formats(formats)
    , m_own(own)
{
}

void OtherForms::passOver(std::uint64_t number, std::string_view line)
{
    ++m_unread;
    if (m_unread <= kUsualGap || m_unread > kUsualGap + kMostLookedAt)
        return;
    if (!m_recogniser)
        m_recogniser.emplace(m_formats);
    const std::uint64_t before = m_recogniser->records();
    m_recogniser->read(line);
    if (m_recogniser->records() == before)
        return;
    m_firstLine = m_firstLine > 0 ? m_firstLine : number;
    m_unread = kUsualGap + 1;
}

std::optional<OtherPart> OtherForms::found() const
{
    const logs::LogFormat* format = m_recogniser ? m_recogniser->best() : nullptr;
    if (!format || format == &m_own || m_recogniser->records() < kLeastRecords)
        return std::nullopt;
    return OtherPart{format, m_firstLine, m_recogniser->records()};
}

} // namespace ringside::imports
