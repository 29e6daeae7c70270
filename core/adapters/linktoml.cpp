// SPDX-License-Identifier: MIT
#include "core/adapters/linktoml.h"

#include "core/spec/tomlreader.h"

#include <fmt/format.h>

namespace ringside::adapters {

namespace {

using logs::LinePattern;
using logs::LinkForm;

/// The whole file: walks its tree once.
class Reader : private spec::TomlReader
{
public:
    LinkFormOutcome read(const toml::table& root)
    {
        m_format.links.emplace();
        readTable({"", &root}, m_top);
        for (const char* key : {"format", "name", "title", "titles", "columns"})
            if (!root.contains(key))
                block({key, &root}, {1, 1}, "", Words::tr("{} is missing.", spec::inQuotes(key)),
                      Words::tr("The page of the readers of logs says what it is."));
        sortByGravity(checks());
        return {hasBlocking(checks()) ? std::nullopt : std::optional(std::move(m_format)), std::move(checks())};
    }

private:
    LinkForm& form() { return *m_format.links; }

    void readFormat(const Field& field)
    {
        int format = 0;
        readWhole(field, format);
        if (format != kLinkFormat)
            block(field, spec::placeOf(field.node->source().begin), std::to_string(format),
                  Words::tr("format {} is not known; this version reads format {}.", format, kLinkFormat));
    }

    std::optional<LinePattern> patternIn(const Field& field, const std::string& text)
    {
        auto pattern = LinePattern::parse(text);
        if (pattern)
            return std::move(*pattern);
        block(field, spec::placeOf(field.node->source().begin), text, pattern.error().message, pattern.error().hint);
        return std::nullopt;
    }

    void readPatterns(const Field& field, std::vector<LinePattern>& patterns)
    {
        std::vector<std::string> texts;
        readTexts(field, texts);
        for (const std::string& text : texts)
            if (auto pattern = patternIn(field, text))
                patterns.push_back(std::move(*pattern));
    }

    void readHead(const Field& table)
    {
        std::string text;
        logs::TableOf operation{};
        logs::TableMemory memory{};
        std::string backend;
        bool isForeign = false;
        const Handlers handlers = {{"pattern", [&](const Field& f) { readText(f, text); }},
                                   {"operation", [&](const Field& f) { readWord(f, operation, logs::TableOf::other); }},
                                   {"memory", [&](const Field& f) { readWord(f, memory); }},
                                   {"backend", [&](const Field& f) { readText(f, backend); }},
                                   {"foreign", [&](const Field& f) { readFlag(f, isForeign); }}};
        readTable(table, handlers);
        auto pattern = patternIn(table, text);
        if (!pattern)
            return;
        const auto* entries = table.node->as_table();
        const auto tells = [&](const char* key) { return entries && entries->contains(key); };
        form().heads.push_back({std::move(*pattern), operation, tells("memory") ? std::optional(memory) : std::nullopt,
                                std::move(backend), tells("foreign") ? std::optional(isForeign) : std::nullopt});
    }

    void readRanks(const Field& table)
    {
        std::string text;
        readTable(table, {{"pattern", [&](const Field& f) { readText(f, text); }},
                          {"host_behind", [&](const Field& f) { readText(f, form().hostBehind); }}});
        form().rankLine = patternIn(table, text);
        if (form().rankLine && !form().rankLine->has(logs::Quantity::rank))
            block(table, spec::placeOf(table.node->source().begin), text,
                  Words::tr("the line of a rank has to say which rank it is."),
                  Words::tr("Write {{rank}} in its place."));
    }

    void readColumn(const Field& table)
    {
        logs::TableColumn& column = form().columns.emplace_back();
        readTable(table, {{"title", [&](const Field& f) { readText(f, column.title); }},
                          {"holds", [&](const Field& f) { readWord(f, column.holds); }},
                          {"only", [&](const Field& f) { readTexts(f, column.only); }}});
        if (column.title.empty())
            block(table, spec::placeOf(table.node->source().begin), "", Words::tr("“title” is missing."),
                  Words::tr("Write the column's title as it is printed."));
    }

    const Handlers m_top = {
        {"format", [this](const Field& f) { readFormat(f); }},
        {"name", [this](const Field& f) { readText(f, m_format.name); }},
        {"title", [this](const Field& f) { readText(f, m_format.title); }},
        {"presumed", [this](const Field& f) { readWord(f, form().presumed, logs::TableOf::other); }},
        {"heads", [this](const Field& f) { readEach(f, [this](const Field& each) { readHead(each); }); }},
        {"ranks", [this](const Field& f) { readRanks(f); }},
        {"titles", [this](const Field& f) { readPatterns(f, form().titles); }},
        {"columns", [this](const Field& f) { readEach(f, [this](const Field& each) { readColumn(each); }); }},
        {"summaries", [this](const Field& f) { readPatterns(f, form().summaries); }},
    };
    logs::LogFormat m_format;
};

} // namespace

LinkFormOutcome readLinkForm(std::string_view toml)
{
    const auto root = spec::parsedToml(toml);
    if (!root)
        return {{}, {root.error()}};
    return Reader().read(*root);
}

} // namespace ringside::adapters
