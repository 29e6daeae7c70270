// SPDX-License-Identifier: MIT
#include "agent/builder/logtail.h"

#include <algorithm>
#include <fstream>

namespace ringside::builder {

namespace {

constexpr std::size_t kPieceBytes = 64u << 10;

} // namespace

void LogTail::operator()(const Progress& progress)
{
    m_last = progress;
    m_last.log = more();
    m_report(m_last);
}

void LogTail::reportRest()
{
    for (m_last.log = more(); !m_last.log.empty(); m_last.log = more())
        m_report(m_last);
}

/// From the beginning again where the file has become shorter: another builder has begun.
std::string LogTail::more()
{
    std::error_code error;
    const auto size = std::filesystem::file_size(m_log, error);
    if (error)
        return {};
    if (size < m_reported)
        m_reported = 0;
    std::ifstream file(m_log, std::ios::binary);
    std::string piece(std::min<std::uintmax_t>(size - m_reported, kPieceBytes), '\0');
    file.seekg(static_cast<std::streamoff>(m_reported));
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    piece.resize(static_cast<std::size_t>(file.gcount()));
    m_reported += piece.size();
    return piece;
}

} // namespace ringside::builder
