// SPDX-License-Identifier: MIT
// Tags before each line that name a process and do not count it: "[pod/trainer-0/main] " of kubectl logs --prefix, and
// "node3: " of pdsh and clush. The latter may be any word before a colon, so it is looked for in the lines that the log
// begins with, and is a tag only if nearly all have it. Pure.
#pragma once

#include "core/logs/format.h"
#include "core/logs/lines.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::logs {

struct LogContent;

enum class NamedBy
{
    kubectl,
    host
};

struct NameTag
{
    std::size_t length = 0; ///< with the blank behind it; 0: the line has none
    std::string_view name = {};
};

/// The tag of this kind before a line. That of a host is a word that may be one: it has a digit, and no level of a
/// logger ("INFO") or field ("Epoch") is one.
NameTag nameTag(std::string_view line, NamedBy kind);

/// Tells from the first lines of a log whether they have such tags.
class NameSurvey
{
public:
    explicit NameSurvey(NamedBy kind)
        : m_kind(kind)
    {
    }
    void add(std::string_view line);
    bool isInNearlyAll() const;
    /// Names that came again behind another one, as those of processes do that print side by side, and no numbers of
    /// epochs. Only the first few.
    const std::set<std::string, std::less<>>& returned() const { return m_returned; }

private:
    NamedBy m_kind;
    std::uint64_t m_lines = 0, m_tagged = 0;
    std::set<std::string, std::less<>> m_seen, m_returned;
    std::string m_last;
};

/// Passes the lines of a log on, with a tag of a number ("[2] ") in the place of that of a name. Until it is known
/// whether there are any, lines are held: few, and of bounded size.
class NameTags
{
public:
    /// `format` outlives it.
    NameTags(const LogFormat& format, LineSplitter::Sink sink);

    /// As LineSplitter calls its sink.
    void read(std::uint64_t number, std::string_view line, bool isWhole);
    /// The log is over.
    void finish();
    /// Gives the lanes of what was read their ranks: those of a launcher's tag behind the name, if these are all
    /// different; else the places of the names in their order.
    void nameRanks(LogContent& content) const;

private:
    struct Held
    {
        std::uint64_t number;
        std::string line;
        bool isWhole;
    };
    /// The name, and the rank by a tag behind it; -1: it has none.
    using Process = std::pair<std::string, int>;

    bool mayDecide() const;
    std::optional<NamedBy> found() const;
    bool areHosts() const;
    bool isRecord(std::string_view text) const;
    void decide();
    void pass(std::uint64_t number, std::string_view line, bool isWhole);
    std::string_view counted(std::string_view name, std::string_view text);
    int numberOf(std::string_view name, int rank);

    const LogFormat& m_format;
    LineSplitter::Sink m_sink;
    bool m_isDecided = false;
    std::optional<NamedBy> m_kind; ///< once it is decided
    NameSurvey m_pods{NamedBy::kubectl}, m_hosts{NamedBy::host};
    std::vector<const LinePattern*> m_ranked; ///< that have the rank in the line
    std::vector<Held> m_held;
    std::size_t m_heldBytes = 0;
    std::map<Process, int> m_numbers;
    std::string m_line;
};

} // namespace ringside::logs
