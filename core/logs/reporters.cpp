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
    m_ofRank = inScope(format.lines, Scope::rank);
    m_ofNode = inScope(format.lines, Scope::node);
    m_ofAll = inScope(format.lines, Scope::all);
}

const LineForm* Reporters::scoped(const LineForm* form, Scope scope) const
{
    const auto place = static_cast<std::size_t>(form - m_format.lines.data());
    const auto& forms = scope == Scope::rank ? m_ofRank : scope == Scope::node ? m_ofNode : m_ofAll;
    return &forms[place];
}

std::optional<Scope> Reporters::saidBy(std::optional<int> rank) const
{
    auto said = m_said.find(rank);
    if (said == m_said.end())
        said = m_said.find(nameOf(rank)); // before the name's lines had tags of ranks
    if (said == m_said.end())
        said = m_said.find(std::nullopt); // before lines had tags
    return said == m_said.end() ? std::nullopt : std::optional(said->second);
}

bool Reporters::note(const LineForm& form, std::optional<int> rank)
{
    const auto before = saidBy(rank);
    if (m_said.size() < kMostRanks || m_said.contains(rank))
        m_said[rank] = form.scope;
    return before != form.scope;
}

const LineForm* Reporters::formOf(const LineForm* form, std::optional<int> rank) const
{
    if (m_ofAll.empty() || form->meaning == Meaning::reporter)
        return form;
    const auto said = saidBy(rank);
    const bool isOther = said && said != form->scope;
    return isOther && (form->scope == Scope::rank || said == Scope::rank) ? scoped(form, *said) : form;
}

void Reporters::beginRun(std::optional<int> rank)
{
    if (rank)
        m_said.erase(rank);
    else
        m_said.clear();
}

} // namespace ringside::logs
