// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drafts/drafts.h"

#include "app/session/preferences.h"
#include "app/text/text.h"

#include "core/spec/schema.h"
#include "core/spec/toml.h"

#include <algorithm>

namespace ringside {

namespace {

const QString kDrafts = QStringLiteral("editor/drafts");
const QString kBase = QStringLiteral("base"), kDraft = QStringLiteral("draft"),
              kToml = QStringLiteral("toml"); // of an entry

/// A name has no line breaks.
constexpr QLatin1Char kBeforeDatabase('\n');

QString keyOf(const DraftOrigin& origin)
{
    const QString key = QString::number(int(origin.kind)) + QLatin1Char(':') + origin.name;
    return origin.database.isEmpty() ? key : key + kBeforeDatabase + origin.database;
}

DraftOrigin originOf(const QString& key)
{
    const QString name = key.section(QLatin1Char(':'), 1);
    return {DraftOrigin::Kind(key.section(QLatin1Char(':'), 0, 0).toInt()), name.section(kBeforeDatabase, 0, 0),
            name.section(kBeforeDatabase, 1)};
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

Draft draftIn(const QStringList& list, const spec::Experiment& experiment)
{
    Draft draft{experiment, {}};
    for (qsizetype i = 1; i + 1 < list.size(); i += 2)
        draft.factors.push_back({toUtf8(list[i]), toUtf8(list[i + 1])});
    return draft;
}

bool isKnown(const DraftFactor& factor)
{
    return spec::findSetting(factor.key) != nullptr;
}

/// The whole text of one that may have options which no table here has any more.
std::string textOf(const QStringList& list)
{
    const std::string text = list.isEmpty() ? std::string() : toUtf8(list.front());
    const auto experiment = spec::parseStoredExperiment(text, {});
    return experiment ? spec::writeExperiment(readDraft(draftIn(list, *experiment)).experiment) : text;
}

/// One that cannot be read, or not by now, is its text beside `opened`.
std::optional<Draft> draftFrom(const QStringList& list, const Draft& opened)
{
    if (list.isEmpty())
        return std::nullopt;
    if (const auto experiment = spec::parseExperiment(toUtf8(list.front())))
        if (Draft draft = draftIn(list, *experiment); std::ranges::all_of(draft.factors, isKnown))
            return draft;
    return withToml(opened, textOf(list));
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

std::optional<Draft> keptDraft(const QVariantMap& entry, const Draft& opened)
{
    const auto draft = draftFrom(entry.value(kDraft).toStringList(), opened);
    return draft && entry.contains(kToml) ? withToml(*draft, toUtf8(entry.value(kToml).toString())) : draft;
}

/// Returns whether this was opened: the same form, or the text of one that could be read then.
bool isOf(const QStringList& list, const Draft& base)
{
    return list == listOf(base) || base.toml == textOf(list);
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
    const bool mayBeAnother = origin.kind == DraftOrigin::Kind::text && !isOf(kept.value(kBase).toStringList(), base);
    return mayBeAnother ? std::nullopt : keptDraft(kept, base);
}

std::vector<KeptDraft> Drafts::all() const
{
    std::vector<KeptDraft> all;
    const auto drafts = m_preferences.windowValue(kDrafts).toMap();
    for (auto each = drafts.begin(); each != drafts.end(); ++each) {
        const DraftOrigin origin = originOf(each.key());
        Draft bare;
        bare.experiment.name = toUtf8(origin.name);
        const auto base = draftFrom(each->toMap().value(kBase).toStringList(), bare);
        const auto draft = base ? keptDraft(each->toMap(), *base) : std::nullopt;
        if (draft)
            all.push_back({origin, *base, *draft});
    }
    return all;
}

DraftOrigin Drafts::stored(const QString& experiment) const
{
    return {DraftOrigin::Kind::stored, experiment, m_preferences.databaseFolder()};
}

bool Drafts::isOfOpenDatabase(const DraftOrigin& origin) const
{
    return !origin.isStored() || origin.database == m_preferences.databaseFolder();
}

void Drafts::forget(const DraftOrigin& origin)
{
    auto drafts = m_preferences.windowValue(kDrafts).toMap();
    if (drafts.remove(keyOf(origin)) > 0)
        m_preferences.setWindowValue(kDrafts, drafts);
}

} // namespace ringside
