// SPDX-License-Identifier: MIT
// The lines of one process that runs, as samples, while it prints. Memory is bounded. Pure.
#pragma once

#include "core/logs/reader.h"
#include "core/logs/recordsamples.h"

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::logs {

/// A process may print of itself, of its node and of all ranks, and of other ranks by their tags: the first of these
/// sources that reports work is what counts from then on, so that nothing counts twice. Lines of all ranks stand in the
/// spool of the rank that printed them, with Sample::ofRanks; which of several that print the same number count is
/// settled where they are added up, as figureOf() does, because a process does not know what the others print.
class LineSamples
{
public:
    LineSamples(LogFormat format, KnownOfRun known);
    LineSamples(LineSamples&&) = delete;

    /// A whole line, read at this time (monotonic, ns).
    void read(std::uint64_t number, std::string_view line, std::int64_t atNs);
    /// Returns samples of the lines since the last call. The last record waits for lines that add to it, a line for
    /// each metric, for kSettleNs or until `isOver`. A sample ends when its line was read; of several that were read
    /// together each ends where the next begins.
    std::vector<Sample> take(std::int64_t nowNs, bool isOver = false);

    static constexpr std::int64_t kSettleNs = 1'000'000'000;
    /// Lines that are remembered.
    std::size_t held() const { return m_lines.size(); }

private:
    using Source = std::pair<Scope, std::optional<int>>;
    struct ReadLine
    {
        std::uint64_t number;
        std::int64_t atNs;
    };
    std::vector<RecordOf> taken(std::int64_t nowNs, bool isOver);
    std::vector<ReadLine>::const_iterator firstFrom(std::uint64_t number) const;
    std::optional<std::int64_t> readAt(std::uint64_t number) const;
    std::optional<Sample> sampleOf(const RecordOf& taken);

    LogFormat m_format;
    LogReader m_reader; ///< uses it
    KnownOfRun m_known;
    std::map<Source, RecordSamples> m_samples; ///< until one of them has reported work; then only that
    bool m_isChosen = false;
    std::vector<ReadLine> m_lines; ///< in their order, those that were not returned yet
};

} // namespace ringside::logs
