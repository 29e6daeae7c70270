// SPDX-License-Identifier: MIT
#include "core/logs/reporters.h"

#include "core/logs/namenumbers.h"
#include "core/logs/sources.h"

#include <algorithm>

namespace ringside::logs {

namespace {

std::vector<LineForm> inScope(std::vector<LineForm> forms, Scope scope)
{
    for (LineForm& form : forms)
        form.scope = scope;
    return forms;
}

} // namespace

Reporters::Reporters(const LogFormat& format)
    : m_format(format)
{
    if (std::ranges::find(format.lines, Meaning::reporter, &LineForm::meaning) == format.lines.end())
        return;
    m_ofNode = inScope(format.lines, Scope::node);
    m_ofAll = inScope(format.lines, Scope::all);
}

const LineForm* Reporters::scoped(const LineForm* form, Scope scope) const
{
    const auto place = static_cast<std::size_t>(form - m_format.lines.data());
    return scope == Scope::rank ? form : &(scope == Scope::node ? m_ofNode : m_ofAll)[place];
}

const LineForm* Reporters::formOf(const LineForm* form, std::optional<int> rank)
{
    if (m_ofAll.empty())
        return form;
    if (form->meaning == Meaning::reporter) {
        if (m_said.size() < kMostRanks || m_said.contains(rank))
            m_said[rank] = form->scope;
        return form;
    }
    auto said = m_said.find(rank);
    if (said == m_said.end())
        said = m_said.find(nameOf(rank)); // before the name's lines had tags of ranks
    if (said == m_said.end())
        said = m_said.find(std::nullopt); // before lines had tags
    return said == m_said.end() || form->scope != Scope::rank ? form : scoped(form, said->second);
}

} // namespace ringside::logs
