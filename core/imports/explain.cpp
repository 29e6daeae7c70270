// SPDX-License-Identifier: MIT
#include "core/imports/explain.h"

#include "core/base/words.h"
#include "core/logs/lines.h"
#include "core/logs/linkrow.h"
#include "core/logs/ranktag.h"

#include <algorithm>

namespace ringside::imports {

namespace {

/// Reads for each quantity the first row, whose unit is the quantity's.
std::vector<FieldReading> fieldsOf(const logs::LineValues& values)
{
    std::vector<FieldReading> fields;
    std::optional<logs::Quantity> last;
    for (const logs::FieldRow& row : logs::fieldRows()) {
        const auto value = values.get(row.quantity);
        if (value && last != row.quantity)
            fields.push_back({row.name, value->value, row.description});
        last = row.quantity;
    }
    return fields;
}

/// The first pattern of a table's lines that matches, as in reading.
std::optional<logs::LineForm> formOf(const logs::LinkForm& links, std::string_view line, logs::LineValues& values)
{
    std::vector<logs::LineForm> forms;
    const auto add = [&](const logs::LinePattern& pattern, logs::Meaning meaning) {
        forms.push_back({pattern, meaning, logs::Scope::all});
    };
    for (const logs::TableHead& head : links.heads)
        add(head.pattern, logs::Meaning::context);
    if (links.rankLine)
        forms.push_back({*links.rankLine, logs::Meaning::context, logs::Scope::rank});
    for (const logs::LinePattern& titles : links.titles)
        add(titles, logs::Meaning::context);
    for (const logs::LinePattern& summary : links.summaries)
        add(summary, logs::Meaning::summary);
    const auto found =
        std::ranges::find_if(forms, [&](const logs::LineForm& form) { return form.pattern.match(line, values); });
    return found == forms.end() ? std::nullopt : std::optional(*found);
}

std::optional<logs::LineForm> formOf(const logs::LogFormat& format, std::string_view line, logs::LineValues& values)
{
    if (format.links)
        return formOf(*format.links, line, values);
    const auto found = std::ranges::find_if(
        format.lines, [&](const logs::LineForm& form) { return form.pattern.match(line, values); });
    return found == format.lines.end() ? std::nullopt : std::optional(*found);
}

std::string scopeText(logs::Scope scope)
{
    return scope == logs::Scope::all    ? Words::tr("of all ranks")
           : scope == logs::Scope::node ? Words::tr("of one node")
                                        : Words::tr("of one rank");
}

} // namespace

LineExplained explainLine(std::string_view line, std::span<const logs::LogFormat> formats)
{
    std::string shown;
    logs::showLine(line.substr(0, std::min(line.find('\n'), logs::kMostLineBytes)), shown);
    std::string_view text = shown;
    text.remove_prefix(logs::podTag(text).length);
    LineExplained explained{.rank = logs::takeRankTag(text), .readings = {}};
    for (const logs::LogFormat& format : formats) {
        logs::LineValues values;
        if (const auto form = formOf(format, text, values))
            explained.readings.push_back({&format, form, fieldsOf(values)});
    }
    explained.isRow = explained.readings.empty() && logs::looksLikeRow(text);
    return explained;
}

std::string subjectText(const logs::LineForm& form)
{
    const std::string whose = scopeText(form.scope);
    switch (form.meaning) {
    case logs::Meaning::interval:
        return Words::tr("an interval {}", whose);
    case logs::Meaning::iteration:
        return Words::tr("one iteration {}", whose);
    case logs::Meaning::mean:
        return Words::tr("all iterations so far {}", whose);
    case logs::Meaning::epoch:
        return Words::tr("an epoch {}", whose);
    case logs::Meaning::summary:
        return Words::tr("a summary {}", whose);
    case logs::Meaning::context:
        return Words::tr("the context of other lines");
    case logs::Meaning::start:
        return Words::tr("the start of a run");
    case logs::Meaning::test:
        return Words::tr("an evaluation");
    case logs::Meaning::part:
        return Words::tr("a part of an iteration {}", whose);
    case logs::Meaning::reporter:
        return Words::tr("the context of other lines, which are {}", whose);
    }
    return {};
}

} // namespace ringside::imports
