// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/knownsites.h"

#include "app/session/preferences.h"
#include "app/text/text.h"

#include <algorithm>
#include <utility>

namespace ringside {

namespace {

constexpr std::chrono::seconds kSoon{2}; // a test reports many steps a second
const QString kSites = QStringLiteral("sites/known");
const QString kSteps = QStringLiteral("steps"), kFacts = QStringLiteral("facts"), kAt = QStringLiteral("at"),
              kKind = QStringLiteral("kind"), kState = QStringLiteral("state"), kText = QStringLiteral("text"),
              kHint = QStringLiteral("hint"), kTook = QStringLiteral("took"), kTorch = QStringLiteral("torch"),
              kLabel = QStringLiteral("label");

QVariantMap keptStep(const SiteStates::SeenStep& seen)
{
    return {{kKind, int(seen.step.kind)},
            {kState, int(seen.step.state)},
            {kText, toQt(seen.step.text)},
            {kHint, toQt(seen.step.hint)},
            {kTook, qlonglong(seen.step.took.count())},
            {kTorch, seen.step.canInstallTorch},
            {kAt, qlonglong(seen.at)}};
}

SiteStates::SeenStep stepFrom(const QString& site, const QVariantMap& kept)
{
    using Kind = SiteStep::Kind;
    using State = SiteStep::State;
    SiteStep step;
    step.site = toUtf8(site);
    step.kind = Kind(std::clamp(kept.value(kKind).toInt(), int(Kind::reach), int(Kind::worker)));
    step.state = State(std::clamp(kept.value(kState).toInt(), int(State::running), int(State::notTried)));
    step.text = toUtf8(kept.value(kText).toString());
    step.hint = toUtf8(kept.value(kHint).toString());
    step.took = std::chrono::milliseconds(kept.value(kTook).toLongLong());
    step.canInstallTorch = kept.value(kTorch).toBool();
    return {step, kept.value(kAt).toLongLong()};
}

QVariantMap kept(const SiteStates::Known& known)
{
    QVariantList steps, facts;
    for (const auto& [kind, seen] : known.steps)
        if (seen.step.state != SiteStep::State::running)
            steps << keptStep(seen);
    for (const SiteFact& fact : known.facts)
        facts << QVariantMap{{kLabel, toQt(fact.label)}, {kText, toQt(fact.text)}};
    return {{kSteps, steps}, {kFacts, facts}, {kAt, qlonglong(known.factsAt)}};
}

SiteStates::Known knownFrom(const QString& site, const QVariantMap& kept)
{
    SiteStates::Known known;
    for (const QVariant& each : kept.value(kSteps).toList()) {
        const SiteStates::SeenStep seen = stepFrom(site, each.toMap());
        known.steps.insert_or_assign(seen.step.kind, seen);
    }
    for (const QVariant& each : kept.value(kFacts).toList())
        known.facts.push_back(
            {toUtf8(each.toMap().value(kLabel).toString()), toUtf8(each.toMap().value(kText).toString())});
    known.factsAt = kept.value(kAt).toLongLong();
    return known;
}

} // namespace

KnownSites::KnownSites(SiteStates& states, Preferences& preferences)
    : m_states(states)
    , m_preferences(preferences)
{
    const QVariantMap sites = preferences.windowValue(kSites).toMap();
    for (const auto& [site, known] : sites.asKeyValueRange())
        states.restore(site, knownFrom(site, known.toMap()));
    m_soon.setSingleShot(true);
    m_soon.setInterval(kSoon);
    connect(&m_soon, &QTimer::timeout, this, &KnownSites::save);
    connect(&states, &SiteStates::changed, this, [this](const QString& site) {
        m_changed.insert(site);
        if (!m_soon.isActive())
            m_soon.start();
    });
    connect(&states, &SiteStates::forgotten, this, [this](const QString& site) {
        m_changed.insert(site);
        save(); // at once: another window would restore it
    });
}

KnownSites::~KnownSites()
{
    save();
}

void KnownSites::save()
{
    if (m_changed.empty())
        return;
    QVariantMap sites = m_preferences.windowValue(kSites).toMap();
    for (const QString& site : std::exchange(m_changed, {})) {
        const SiteStates::Known known = m_states.knownOf(site);
        if (known.steps.empty() && known.facts.empty())
            sites.remove(site);
        else
            sites[site] = kept(known);
    }
    m_preferences.setWindowValue(kSites, sites);
}

} // namespace ringside
