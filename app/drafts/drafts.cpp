// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drafts/drafts.h"

#include "app/session/preferences.h"
#include "app/text/text.h"

#include "core/spec/toml.h"

namespace ringside {

namespace {

const QString kDrafts = QStringLiteral("editor/drafts");
const QString kBase = QStringLiteral("base"), kDraft = QStringLiteral("draft"),
              kToml = QStringLiteral("toml"); // of an entry

QString keyOf(const DraftOrigin& origin)
{
    return QString::number(int(origin.kind)) + QLatin1Char(':') + origin.name;
}

QString tomlOf(const Draft& draft)
{
    return toQt(spec::writeExperiment(draft.experiment));
}

/// The experiment without factors, then key and text of each factor as typed.
QStringList listOf(const Draft& draft)
{
    QStringList list{tomlOf(draft)};
    for (const auto& factor : draft.factors)
        list << toQt(factor.key) << toQt(factor.text);
    return list;
}

std::optional<Draft> draftFrom(const QStringList& list)
{
    if (list.isEmpty())
        return std::nullopt;
    const auto experiment = spec::parseExperiment(toUtf8(list.front()));
    if (!experiment)
        return std::nullopt;
    Draft draft{*experiment, {}};
    for (qsizetype i = 1; i + 1 < list.size(); i += 2)
        draft.factors.push_back({toUtf8(list[i]), toUtf8(list[i + 1])});
    return draft;
}

/// A form whose text could not be read again is stored as that text beside the opened draft, to be mended there.
Draft readable(const Draft& base, const Draft& draft)
{
    if (spec::parseExperiment(spec::writeExperiment(draft.experiment)))
        return draft;
    Draft kept = base;
    kept.toml = draft.toml.value_or(spec::writeExperiment(readDraft(draft).experiment));
    return kept;
}

std::optional<Draft> keptDraft(const QVariantMap& entry)
{
    auto draft = draftFrom(entry.value(kDraft).toStringList());
    if (draft && entry.contains(kToml))
        draft->toml = toUtf8(entry.value(kToml).toString());
    return draft;
}

} // namespace

void Drafts::keep(const DraftOrigin& origin, const Draft& base, const Draft& edited)
{
    const Draft draft = readable(base, edited);
    auto drafts = m_preferences.windowValue(kDrafts).toMap();
    QVariantMap entry{{kBase, listOf(base)}, {kDraft, listOf(draft)}};
    if (draft.toml)
        entry[kToml] = toQt(*draft.toml);
    drafts[keyOf(origin)] = entry;
    m_preferences.setWindowValue(kDrafts, drafts);
}

std::optional<Draft> Drafts::find(const DraftOrigin& origin, const Draft& base) const
{
    const auto kept = m_preferences.windowValue(kDrafts).toMap().value(keyOf(origin)).toMap();
    const bool sameBase = kept.value(kBase).toStringList() == listOf(base);
    return sameBase || origin.isStored() ? keptDraft(kept) : std::nullopt;
}

std::vector<KeptDraft> Drafts::all() const
{
    std::vector<KeptDraft> all;
    const auto drafts = m_preferences.windowValue(kDrafts).toMap();
    for (auto each = drafts.begin(); each != drafts.end(); ++each) {
        const auto base = draftFrom(each->toMap().value(kBase).toStringList());
        const auto draft = keptDraft(each->toMap());
        const auto kind = DraftOrigin::Kind(each.key().section(QLatin1Char(':'), 0, 0).toInt());
        if (base && draft)
            all.push_back({{kind, each.key().section(QLatin1Char(':'), 1)}, *base, *draft});
    }
    return all;
}

void Drafts::forget(const DraftOrigin& origin)
{
    auto drafts = m_preferences.windowValue(kDrafts).toMap();
    if (drafts.remove(keyOf(origin)) > 0)
        m_preferences.setWindowValue(kDrafts, drafts);
}

} // namespace ringside
