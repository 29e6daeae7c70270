// SPDX-License-Identifier: MIT
#include "core/logs/recognise.h"

#include "core/base/sequences.h"
#include "core/logs/ranktag.h"
#include "core/logs/stamp.h"

#include <algorithm>
#include <tuple>

namespace ringside::logs {

namespace {

/// Lines that report work or time. A “Batch size: 32” is printed by many programs.
bool countsFor(const LineForm& form)
{
    return form.meaning != Meaning::context && form.meaning != Meaning::start && form.meaning != Meaning::test &&
           form.meaning != Meaning::reporter;
}

/// Returns whether a rate can be made of a line of this form: it has one, or a time, or an iteration and a stamp.
bool givesRate(const LinePattern& pattern, std::string_view line)
{
    return std::ranges::any_of(kTimesAndRates, [&](Quantity quantity) { return pattern.has(quantity); }) ||
           (pattern.has(Quantity::iteration) && findStamp(line));
}

/// Lines that only this benchmark prints: heads that name an operation, and titles. Rows are numbers like any others.
/// Heads of operations that are not read have too short keys (“OSU”), and stand above titles, too.
std::vector<const LinePattern*> patternsOf(const LinkForm& links)
{
    std::vector<const LinePattern*> patterns;
    for (const TableHead& head : links.heads)
        if (head.operation != TableOf::untold && head.operation != TableOf::other)
            patterns.push_back(&head.pattern);
    for (const LinePattern& titles : links.titles)
        patterns.push_back(&titles);
    return patterns;
}

} // namespace

Recogniser::Recogniser(std::span<const LogFormat> formats)
    : m_formats(formats)
    , m_forms(formsOf(formats))
    , m_index(mapped(m_forms, [](const Form& form) { return form.pattern->key(); }))
    , m_known(formats.size())
    , m_hasRate(formats.size())
{
}

std::vector<Recogniser::Form> Recogniser::formsOf(std::span<const LogFormat> formats)
{
    std::vector<Form> forms;
    for (std::size_t format = 0; format < formats.size(); ++format)
        for (const LineForm& form : formats[format].lines)
            if (countsFor(form))
                forms.push_back({format, &form.pattern});
    for (std::size_t format = 0; format < formats.size(); ++format)
        if (formats[format].links)
            for (const LinePattern* pattern : patternsOf(*formats[format].links))
                forms.push_back({format, pattern});
    return forms;
}

Recogniser::Known Recogniser::count(std::string_view line, std::string_view shown)
{
    m_index.find(line, m_candidates);
    const Form* counted = nullptr;
    Known known = Known::nothing;
    for (const std::uint32_t candidate : m_candidates) {
        const Form& form = m_forms[candidate];
        if ((counted && counted->format == form.format) || !form.pattern->fits(line))
            continue;
        counted = &form;
        m_formatsKnown += m_known[form.format]++ == 0;
        known = std::max(known, m_formats[form.format].links ? Known::table : Known::record);
        if (m_formats[form.format].links)
            continue; // a job's preflight, before it trains
        if (!m_hasRate[form.format])
            m_hasRate[form.format] = givesRate(*form.pattern, shown);
        m_isDecided |= decides(form.format);
    }
    return known;
}

bool Recogniser::decides(std::size_t format) const
{
    const bool isAlone = m_hasRate[format] && m_formatsKnown == 1;
    return m_known[format] >= (isAlone ? kRecordsAlone : kRecordsToDecide);
}

bool Recogniser::read(std::string_view line)
{
    line.remove_prefix(podTag(line).length);
    const std::string_view shown = line;
    takeRankTag(line);
    const Known known = count(line, shown);
    m_linesSince += known == Known::record || m_linesSince > 0;
    return !m_isDecided && m_linesSince < kLinesToDecide;
}

const LogFormat* Recogniser::best() const
{
    const LogFormat* found = nullptr;
    std::tuple<bool, bool, std::uint64_t> most; // whether it trains, and has a rate, and records
    for (std::size_t i = 0; i < m_formats.size(); ++i)
        if (const std::tuple known(m_known[i] > 0 && !m_formats[i].links, bool{m_hasRate[i]}, m_known[i]);
            known > most) {
            found = &m_formats[i];
            most = known;
        }
    return found;
}

std::uint64_t Recogniser::records() const
{
    const LogFormat* format = best();
    return format ? m_known[static_cast<std::size_t>(format - m_formats.data())] : 0;
}

const LogFormat* Recogniser::second() const
{
    const LogFormat* first = best();
    const LogFormat* found = nullptr;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < m_formats.size(); ++i)
        if (&m_formats[i] != first && m_known[i] > most) {
            found = &m_formats[i];
            most = m_known[i];
        }
    return found;
}

} // namespace ringside::logs
