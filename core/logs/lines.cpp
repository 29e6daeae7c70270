// SPDX-License-Identifier: MIT
#include "core/logs/lines.h"

#include "core/logs/ranktag.h"

#include <algorithm>
#include <utility>

namespace ringside::logs {

namespace {

constexpr char kEscape = '\x1b';
/// Programs of Windows write it at the beginning of a file in UTF-8, and no terminal shows it.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Returns whether a terminal would do more than print it, and end its lines. In blocks, for which compilers use wide
/// registers.
bool hasControls(std::string_view text)
{
    constexpr std::size_t kBlock = 64;
    const auto isControl = [](char c) { return (static_cast<unsigned char>(c) < 0x20) & (c != '\t') & (c != '\n'); };
    for (; text.size() >= kBlock; text.remove_prefix(kBlock)) {
        unsigned char found = 0;
        for (std::size_t i = 0; i < kBlock; ++i)
            found |= isControl(text[i]);
        if (found != 0)
            return true;
    }
    return std::any_of(text.begin(), text.end(), isControl);
}

/// Returns the place behind the escape sequence that begins at `at`: "ESC [ parameters letter", or ESC and one
/// character.
std::size_t behindEscape(std::string_view line, std::size_t at)
{
    if (at + 1 >= line.size() || line[at + 1] != '[')
        return std::min(at + 2, line.size());
    const auto isFinal = [](char c) { return c >= '@' && c <= '~'; };
    const auto last = std::find_if(line.begin() + static_cast<std::ptrdiff_t>(at) + 2, line.end(), isFinal);
    return static_cast<std::size_t>(last - line.begin()) + (last != line.end());
}

/// The last character's first byte in UTF-8.
void dropLastCharacter(std::string& text)
{
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80)
        text.pop_back();
    if (!text.empty())
        text.pop_back();
}

} // namespace

void showLine(std::string_view line, std::string& shown)
{
    const std::size_t start = rankTag(line).length; // a launcher writes its tag once, before the first state
    shown.clear();
    bool returned = false;
    for (std::size_t i = 0; i < line.size();) {
        const char c = line[i];
        if (c == kEscape) {
            i = behindEscape(line, i);
            continue;
        }
        ++i;
        if (c == '\r') {
            returned = true;
        } else if (c == '\b') {
            dropLastCharacter(shown);
        } else {
            if (std::exchange(returned, false))
                shown.resize(std::min(start, shown.size()));
            shown += c;
        }
    }
}

void LineSplitter::feed(std::string_view bytes)
{
    const bool isPlain = !hasControls(bytes);
    while (!bytes.empty()) {
        const auto end = bytes.find('\n');
        const auto piece = bytes.substr(0, end);
        if (end == std::string_view::npos)
            return keep(piece);
        if (m_begun.empty() && !m_isCut) {
            endLine(piece, true, isPlain);
        } else {
            keep(piece);
            endLine(m_begun, !m_isCut);
            m_begun.clear();
        }
        m_isCut = false;
        bytes.remove_prefix(end + 1);
    }
}

void LineSplitter::finish()
{
    if (m_begun.empty())
        return;
    endLine(m_begun, false);
    m_begun.clear();
    m_isCut = false;
}

void LineSplitter::keep(std::string_view piece)
{
    // Only the last state of a bar that redraws itself without ever ending its line stays, once it has grown too long.
    const auto redraw = piece.rfind('\r');
    if (m_begun.size() + piece.size() > kMostLineBytes && redraw != std::string_view::npos &&
        redraw + 1 < piece.size()) {
        m_begun.resize(rankTag(m_begun).length);
        m_isCut = false;
        piece.remove_prefix(redraw);
    }
    if (m_isCut)
        return;
    const std::size_t room = kMostLineBytes - m_begun.size();
    m_begun += piece.substr(0, room);
    m_isCut = piece.size() > room;
    m_cutLines += m_isCut;
}

void LineSplitter::endLine(std::string_view line, bool isWhole, bool isPlain)
{
    if (line.size() > kMostLineBytes) {
        line = line.substr(0, kMostLineBytes);
        isWhole = false;
        ++m_cutLines;
    }
    if (m_number++ == 0 && line.starts_with(kByteOrderMark))
        line.remove_prefix(kByteOrderMark.size());
    if (isPlain || !hasControls(line))
        return m_sink(m_number, line, isWhole);
    showLine(line, m_shown);
    m_sink(m_number, m_shown, isWhole);
}

} // namespace ringside::logs
