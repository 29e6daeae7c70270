// SPDX-License-Identifier: MIT
// Tags before lines that name the process and do not count it: "[pod/trainer-0/main] " of kubectl logs --prefix, or
// "1: " of a scheduler's launcher before a tag of torchrun. Pure.
#pragma once

#include "core/logs/content.h"
#include "core/logs/lines.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::logs {

/// Passes the lines of a log on, with the tag of a number ("[100000000] ", namenumbers.h) in the place of a name.
class NameTags
{
public:
    /// `format` outlives it. `given` holds what the user says of the log.
    NameTags(const LogFormat& format, LineSplitter::Sink sink, LogSettings given = {});

    /// As LineSplitter calls its sink.
    void read(std::uint64_t number, std::string_view line, bool isWhole);
    /// Gives the lanes of what was read their ranks: those behind the names, if these are all different; else, where
    /// names print side by side, their places in order. Names one behind the other become runs, each with its own
    /// settings.
    void nameRanks(LogContent& content) const;

private:
    /// From the first record to the last one, by the numbers of their lines or their stamps: a program that fails may
    /// print long after its last record.
    struct Span
    {
        double first = std::numeric_limits<double>::infinity(), last = -first;
        void add(double at);
        double length() const { return last - first; }
    };
    struct Times
    {
        Span lines = {}, stamps = {};
    };
    struct Name
    {
        std::string text;
        Times records = {}, all = {}; ///< of its records, and of all its lines
        bool hasRanks = false;        ///< stand behind it, before records
    };

    void passNamed(Name& name, std::uint64_t number, std::string_view text, bool isWhole);
    Name* named(std::string_view text);
    std::optional<std::int64_t> rankIn(std::string_view text) const;
    bool isRecord(std::string_view text) const;
    void skip(std::uint64_t number);
    const Name* nameFor(std::optional<int> number) const;
    std::map<const Name*, Span> spansIn(const LogRun& run) const;
    std::map<const Name*, std::size_t> partsIn(const LogRun& run) const;
    std::vector<LogRun> parted(LogRun run) const;
    void noteStatements(LogRun& run, bool isPart, std::vector<Finding>& findings) const;
    bool haveOneLaneEach(const LogRun& run) const;
    bool areSideBySide(const LogRun& run) const;
    void nameRanks(LogRun& run, std::vector<Finding>& findings) const;

    const LogFormat& m_format;
    LineSplitter::Sink m_sink;
    LogSettings m_given;
    std::map<std::string, int, std::less<>> m_numbers; ///< of names: their places in m_names
    std::vector<Name> m_names;
    std::optional<Finding> m_tooMany; ///< names, or ranks of one
    std::string m_line;
};

} // namespace ringside::logs
