// SPDX-License-Identifier: MIT
// Finds out which of many forms a log has. Pure.
#pragma once

#include "core/logs/format.h"
#include "core/logs/keyindex.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ringside::logs {

/// So many records of one form decide, or, once a record has been known, so many further lines. Tables of links decide
/// nothing: they are many a training's preflight.
inline constexpr std::uint64_t kRecordsToDecide = 200;
inline constexpr std::uint64_t kLinesToDecide = 2'000;
/// So many records are enough if they give a rate and no other form knows any line.
inline constexpr std::uint64_t kRecordsAlone = 100;

class Recogniser
{
public:
    /// `formats` outlive it. Where two know equally many lines, the earlier one is chosen.
    explicit Recogniser(std::span<const LogFormat> formats);

    /// Lines in order; false once enough have been seen.
    bool read(std::string_view line);

    /// The format that knows most of the lines' records, among those of whose records a rate can be made if there are
    /// any; nothing where none knows any. One of tables of links only where no program that trains printed a record.
    const LogFormat* best() const;
    /// A second one that knows records, too: lines of another program, or a form that is much alike.
    const LogFormat* second() const;
    /// Those that best() knows.
    std::uint64_t records() const;

    /// So many bytes of a line lie between two that are looked at.
    std::size_t step() const { return m_index.step(); }

private:
    struct Form
    {
        std::size_t format;
        const LinePattern* pattern;
    };
    enum class Known
    {
        nothing,
        table, ///< of links
        record
    };
    static std::vector<Form> formsOf(std::span<const LogFormat> formats);
    /// Counts the line for each format that knows it. `shown`: with what stands before it.
    Known count(std::string_view line, std::string_view shown);
    bool decides(std::size_t format) const;

    std::span<const LogFormat> m_formats;
    std::vector<Form> m_forms;
    KeyIndex m_index;
    std::vector<std::uint32_t> m_candidates;
    std::vector<std::uint64_t> m_known; ///< records, by format
    std::size_t m_formatsKnown = 0;     ///< that know a record
    std::vector<bool> m_hasRate;        ///< by format, whether any of them gives one
    std::uint64_t m_linesSince = 0;     ///< the first record
    bool m_isDecided = false;
};

} // namespace ringside::logs
