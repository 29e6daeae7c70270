// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/drafts.h"

#include "app/session/preferences.h"
#include "app/widgets/text.h"

#include "core/spec/toml.h"

namespace ringside {

namespace {

const QString kDrafts = QStringLiteral("editor/drafts");

QString keyOf(const DraftOrigin& origin)
{
    return QString::number(int(origin.kind)) + QLatin1Char(':') + origin.name;
}

QString tomlOf(const Draft& draft)
{
    return toQt(spec::writeExperiment(draft.experiment));
}

/// An entry: what was opened, the experiment without factors, then key and text of each factor as typed.
QStringList listOf(const Draft& draft)
{
    QStringList list{tomlOf(draft)};
    for (const auto& factor : draft.factors)
        list << toQt(factor.key) << toQt(factor.text);
    return list;
}

std::optional<Draft> draftFrom(const QStringList& list)
{
    const auto experiment = spec::parseExperiment(toUtf8(list.value(0)));
    if (!experiment)
        return std::nullopt;
    Draft draft{*experiment, {}};
    for (qsizetype i = 1; i + 1 < list.size(); i += 2)
        draft.factors.push_back({toUtf8(list[i]), toUtf8(list[i + 1])});
    return draft;
}

} // namespace

void Drafts::keep(const DraftOrigin& origin, const Draft& base, const Draft& draft)
{
    auto drafts = m_preferences.windowValue(kDrafts).toMap();
    drafts[keyOf(origin)] = QStringList{listOf(base).join(QLatin1Char('\n'))} + listOf(draft);
    m_preferences.setWindowValue(kDrafts, drafts);
}

std::optional<Draft> Drafts::find(const DraftOrigin& origin, const Draft& base) const
{
    const auto kept = m_preferences.windowValue(kDrafts).toMap().value(keyOf(origin)).toStringList();
    const bool sameBase = kept.value(0) == listOf(base).join(QLatin1Char('\n'));
    const bool wanted = origin.kind == DraftOrigin::Kind::stored || sameBase;
    return kept.size() > 1 && wanted ? draftFrom(kept.mid(1)) : std::nullopt;
}

void Drafts::forget(const DraftOrigin& origin)
{
    auto drafts = m_preferences.windowValue(kDrafts).toMap();
    if (drafts.remove(keyOf(origin)) > 0)
        m_preferences.setWindowValue(kDrafts, drafts);
}

} // namespace ringside
