// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drafts/drafts.h"

#include "app/session/preferences.h"
#include "app/text/text.h"

#include "core/spec/schema.h"
#include "core/spec/toml.h"

#include <QDateTime>
#include <QUuid>
#include <algorithm>
#include <utility>

namespace ringside {

namespace {

const QString kDrafts = QStringLiteral("editor/drafts"); // a group of entries, by their ids
const QString kKind = QStringLiteral("kind"), kName = QStringLiteral("name"), kDatabase = QStringLiteral("database"),
              kChanged = QStringLiteral("changed"), kBase = QStringLiteral("base"), kDraft = QStringLiteral("draft"),
              kToml = QStringLiteral("toml"); // of an entry

QString keyOf(const QString& id)
{
    return kDrafts + QLatin1Char('/') + id;
}

DraftOrigin originOf(const DraftEntry& entry)
{
    return {DraftOrigin::Kind(entry.content.value(kKind).toInt()), entry.content.value(kName).toString(),
            entry.content.value(kDatabase).toString()};
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

void Drafts::keep(DraftEntry& mine, const DraftOrigin& origin, const Draft& base, const Draft& edited)
{
    const Draft draft = readable(base, edited);
    QVariantMap content{{kKind, int(origin.kind)},    {kName, origin.name},
                        {kDatabase, origin.database}, {kChanged, QDateTime::currentMSecsSinceEpoch()},
                        {kBase, listOf(base)},        {kDraft, listOf(draft)}};
    if (draft.toml)
        content[kToml] = toQt(*draft.toml);
    mine = {isAsKnown(mine) ? mine.id : QUuid::createUuid().toString(QUuid::WithoutBraces), content};
    m_preferences.setWindowValue(keyOf(mine.id), content);
    m_preferences.exchange();
}

std::optional<KeptDraft> Drafts::find(const DraftOrigin& origin, const Draft& base) const
{
    std::optional<KeptDraft> newest;
    for (const DraftEntry& entry : entries()) {
        const bool mayBeAnother =
            origin.kind == DraftOrigin::Kind::text && !isOf(entry.content.value(kBase).toStringList(), base);
        if (originOf(entry) != origin || mayBeAnother)
            continue;
        const auto draft = keptDraft(entry.content, base);
        if (draft && (!newest ||
                      newest->entry.content.value(kChanged).toLongLong() < entry.content.value(kChanged).toLongLong()))
            newest = {entry, origin, base, *draft};
    }
    return newest;
}

std::vector<KeptDraft> Drafts::all() const
{
    std::vector<KeptDraft> all;
    for (const DraftEntry& entry : entries()) {
        const DraftOrigin origin = originOf(entry);
        Draft bare;
        bare.experiment.name = toUtf8(origin.name);
        const auto base = draftFrom(entry.content.value(kBase).toStringList(), bare);
        const auto draft = base ? keptDraft(entry.content, *base) : std::nullopt;
        if (draft)
            all.push_back({entry, origin, *base, *draft});
    }
    std::ranges::stable_sort(all, {},
                             [](const KeptDraft& kept) { return std::pair(kept.origin.kind, kept.origin.name); });
    return all;
}

std::vector<DraftEntry> Drafts::entries() const
{
    m_preferences.exchange();
    std::vector<DraftEntry> entries;
    for (const QString& id : m_preferences.windowKeys(kDrafts))
        entries.push_back({id, m_preferences.windowValue(keyOf(id)).toMap()});
    return entries;
}

bool Drafts::isAsKnown(const DraftEntry& mine) const
{
    m_preferences.exchange();
    return !mine.id.isEmpty() && m_preferences.windowValue(keyOf(mine.id)).toMap() == mine.content;
}

DraftOrigin Drafts::stored(const QString& experiment) const
{
    return {DraftOrigin::Kind::stored, experiment, m_preferences.databaseFolder()};
}

bool Drafts::isOfOpenDatabase(const DraftOrigin& origin) const
{
    return !origin.isStored() || origin.database == m_preferences.databaseFolder();
}

void Drafts::forget(const DraftEntry& mine)
{
    if (isAsKnown(mine))
        m_preferences.removeWindowValue(keyOf(mine.id));
    m_preferences.exchange();
}

void Drafts::forget(const DraftOrigin& origin)
{
    for (const DraftEntry& entry : entries())
        if (originOf(entry) == origin)
            forget(entry);
}

} // namespace ringside
