// SPDX-License-Identifier: MIT
// A log's bytes as lines, as a terminal would show them in the end: of a progress bar that redraws itself its last
// state, and that of each earlier count, where it counts several times; a byte order mark is dropped. Input is hostile;
// memory is bounded by kMostLineBytes. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ringside::logs {

/// A longer line is cut: no line that a reader knows comes near it.
inline constexpr std::size_t kMostLineBytes = 64u << 10;

class LineSplitter
{
public:
    /// Called for each line, without its end, in order; numbers count from 1. A bar of tqdm that counts several times
    /// on one line, as Lightning's does for each epoch, is as many lines of one number. The text is valid during the
    /// call. A line that has no end, or was too long, is not whole: its last number may have lost digits.
    using Sink = std::function<void(std::uint64_t number, std::string_view line, bool isWhole)>;

    explicit LineSplitter(Sink sink)
        : m_sink(std::move(sink))
    {
    }

    /// Any piece of the log; lines may go on in the next piece.
    void feed(std::string_view bytes);
    /// The log is over: passes on a last line that has no end.
    void finish();

    std::uint64_t cutLines() const { return m_cutLines; }

private:
    void keep(std::string_view piece);
    void keepBlock(std::string_view block);
    void shorten();
    void endLine(std::string_view line, bool isWhole, bool isPlain = false);

    Sink m_sink;
    std::string m_begun; ///< of a line whose end has not come
    std::string m_shown;
    bool m_isCut = false; ///< the begun line's rest is passed over
    std::uint64_t m_number = 0;
    std::uint64_t m_cutLines = 0;
};

/// The line as a terminal shows it: what a carriage return or backspaces overwrite is gone, and so are sequences that
/// colour it. Other control characters stay.
void showLine(std::string_view line, std::string& shown);

} // namespace ringside::logs
