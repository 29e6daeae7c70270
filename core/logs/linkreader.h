// SPDX-License-Identifier: MIT
// Reads the tables of a benchmark of links, line by line. Any log costs bounded memory, and time that grows with its
// length alone.
#pragma once

#include "core/logs/content.h"
#include "core/logs/format.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::logs {

/// Limits of one log; what is behind is passed over, and a finding says so. A calibration holds as many times.
inline constexpr std::size_t kMostTables = 1'000;
inline constexpr std::size_t kMostTableRows = 1'000;
/// Ranks that lines tell, of all tables whose rows have not ended; and processes that print tables at once.
inline constexpr std::size_t kMostTableRanks = 65'536, kMostPrinters = 1'024;

class LinkReader
{
public:
    /// `format` has links, and outlives the reader. `given` holds what the user says of the log, where it does not.
    explicit LinkReader(const LogFormat& format, LogSettings given = {});

    /// Reads lines in order, as LineSplitter returns them. Returns whether the form knows the line. A row that is not
    /// whole adds nothing, and is counted.
    bool read(std::uint64_t number, std::string_view line, bool isWhole = true);
    /// Returns what has been read. Call it once.
    LogContent finish();

private:
    /// A table, from its head on. Each process whose lines have a tag prints its own.
    struct Section
    {
        LinkTable table;
        std::vector<const TableColumn*> columns = {}; ///< empty before the titles
        std::set<std::int64_t> ranks = {};            ///< of the lines that tell them
        std::set<std::string> hosts = {};
        std::uint64_t rankLines = 0;
        double busSum = 0; ///< of printed bus bandwidths
        std::uint64_t busRates = 0;
        bool isOfAllRows = true; ///< that sum
        bool isProven = false;   ///< rows bear out the operation that is presumed
        bool isForeign = false;  ///< as of TableHead
    };

    bool mayBegin(std::string_view line) const;
    Section* sectionOf(std::uint64_t number, std::optional<int> tag, bool begins);
    const TableHead* headOf(std::string_view line, LineValues& values) const;
    void takeHead(Section& section, const TableHead& head, const LineValues& values, std::uint64_t number);
    bool takeRank(Section& section, std::string_view line, std::uint64_t number);
    bool takeTitles(Section& section, std::string_view line, std::uint64_t number);
    bool takeSummary(Section& section, std::string_view line, std::uint64_t number);
    void takeRow(Section& section, std::string_view line, std::uint64_t number);
    void keep(Section& section, LinkTime time);
    void begin(Section& section, std::uint64_t number);
    void beginAgain(Section& section, std::uint64_t number);
    void close(Section& section);
    void countRanks(Section& section);
    std::optional<std::int64_t> ranksOf(const Section& section) const;
    void note(Finding finding, std::uint64_t line) { addFinding(m_content.findings, finding, line); }

    const LogFormat& m_format;
    const LinkForm& m_form;
    LogSettings m_given;
    LogContent m_content;
    std::map<int, Section> m_sections; ///< by the tag of its lines; -1: none
    std::size_t m_ranksHeld = 0;       ///< in all of them
};

} // namespace ringside::logs
