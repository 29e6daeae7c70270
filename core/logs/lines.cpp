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

/// Takes the states of a bar of tqdm, and passes on the final state of each count once the next count begins, which is
/// where a state at 100 % is followed by one that is not.
class BarCounts
{
public:
    using Sink = std::function<void(std::string_view)>;
    explicit BarCounts(Sink sink)
        : m_sink(std::move(sink))
    {
    }

    void add(std::string_view state)
    {
        if (state.find("100%|") != state.npos)
            m_ended = state;
        else if (hasEnded() && state.find("%|") != state.npos)
            m_sink(std::exchange(m_ended, {}));
    }
    /// True once a count has ended, until another one begins.
    bool hasEnded() const { return !m_ended.empty(); }
    const std::string& ended() const { return m_ended; }

private:
    Sink m_sink;
    std::string m_ended;
};

/// As showLine; `counts` gets each state but the last.
void show(std::string_view line, std::string& shown, BarCounts& counts)
{
    const std::size_t start = tagsLength(line); // a launcher writes its tag once, before the first state
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
            if (std::exchange(returned, false)) {
                counts.add(shown);
                shown.resize(std::min(start, shown.size()));
            }
            shown += c;
        }
    }
}

} // namespace

void showLine(std::string_view line, std::string& shown)
{
    BarCounts counts([](std::string_view) {});
    show(line, shown, counts);
}

void LineSplitter::feed(std::string_view bytes)
{
    const bool isPlain = !hasControls(bytes);
    while (!bytes.empty()) {
        const auto end = bytes.find('\n');
        const auto piece = bytes.substr(0, end);
        if (end == std::string_view::npos)
            return keep(piece);
        if (m_begun.empty() && piece.size() <= kMostLineBytes) {
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
    for (; piece.size() > kMostLineBytes; piece.remove_prefix(kMostLineBytes))
        keepBlock(piece.substr(0, kMostLineBytes));
    keepBlock(piece);
}

void LineSplitter::keepBlock(std::string_view block)
{
    if (m_isCut) {
        const auto redraw = block.find('\r');
        if (redraw == block.npos || redraw + 1 == block.size()) // the latter may be the line's end
            return;
        m_begun.resize(tagsLength(m_begun));
        block.remove_prefix(redraw);
        m_isCut = false;
    }
    m_begun += block;
    if (m_begun.size() > kMostLineBytes)
        shorten();
}

/// Keeps of a bar that redraws itself without ever ending its line its last state, and the end of its last count.
void LineSplitter::shorten()
{
    const auto redraw = m_begun.rfind('\r', m_begun.size() - 2);
    if (redraw != m_begun.npos) {
        BarCounts counts([this](std::string_view ended) { m_sink(m_number + 1, ended, true); });
        show(std::string_view(m_begun).substr(0, redraw), m_shown, counts);
        counts.add(m_shown);
        m_begun.replace(0, redraw, counts.hasEnded() ? counts.ended() : m_begun.substr(0, tagsLength(m_begun)));
    }
    m_isCut = m_begun.size() > kMostLineBytes;
    m_cutLines += m_isCut;
    m_begun.resize(std::min(m_begun.size(), kMostLineBytes));
}

void LineSplitter::endLine(std::string_view line, bool isWhole, bool isPlain)
{
    if (m_number++ == 0 && line.starts_with(kByteOrderMark))
        line.remove_prefix(kByteOrderMark.size());
    if (isPlain || !hasControls(line))
        return m_sink(m_number, line, isWhole);
    BarCounts counts([this](std::string_view ended) { m_sink(m_number, ended, true); });
    show(line, m_shown, counts);
    if (counts.hasEnded())
        counts.add(m_shown);
    m_sink(m_number, m_shown, isWhole);
}

} // namespace ringside::logs
