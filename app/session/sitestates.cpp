// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/sitestates.h"

#include "app/session/qtsink.h"
#include "app/text/text.h"

#include "core/base/clock.h"

#include <algorithm>
#include <utility>

namespace ringside {

SiteStates::SiteStates(QtSink& live)
    : m_startedAt(wallNs())
{
    connect(&live, &QtSink::sitesUpdated, this, [this](const std::vector<SiteStatus>& sites) {
        for (const SiteStatus& site : sites) {
            using Contact = SiteStatus::Contact;
            if (m_removed.contains(site.name))
                continue;
            State& state = stateOf(site.name);
            state.status = site;
            state.wasReached |= site.contact == Contact::connected;
            if (site.contact == Contact::connecting || site.contact == Contact::connected)
                state.shownSince.clear();
            if (site.contact != Contact::connecting)
                state.isLost = site.contact == Contact::lost || site.contact == Contact::needsPerson ||
                               site.contact == Contact::refused;
            Q_EMIT changed(toQt(site.name));
        }
    });
    connect(&live, &QtSink::siteStepsReceived, this, [this](const std::vector<SiteStep>& steps) {
        for (const SiteStep& step : steps) {
            if (m_removed.contains(step.site))
                continue;
            takeLog(stateOf(step.site), step);
            stateOf(step.site).known.steps.insert_or_assign(step.kind, SeenStep{step, wallNs()});
            stateOf(step.site).shownSince.insert(step.kind);
            stateOf(step.site).hasBegun = true;
            Q_EMIT changed(toQt(step.site));
        }
    });
    connect(&live, &QtSink::siteFactsReceived, this, [this](const QString& site, const std::vector<SiteFact>& facts) {
        if (m_removed.contains(toUtf8(site)))
            return;
        stateOf(toUtf8(site)).known.facts = facts;
        stateOf(toUtf8(site)).known.factsAt = wallNs();
        Q_EMIT changed(site);
    });
}

SiteStates::State& SiteStates::stateOf(const std::string& site)
{
    State& state = m_states[site];
    state.status.name = site;
    return state;
}

/// A build begins where none was running.
void SiteStates::takeLog(State& state, const SiteStep& step)
{
    if (step.kind != SiteStep::Kind::worker)
        return;
    const auto before = state.known.steps.find(step.kind);
    const bool wasRunning = before != state.known.steps.end() && before->second.step.state == SiteStep::State::running;
    if (!wasRunning && step.state == SiteStep::State::running) {
        state.buildLog.clear();
        state.unfinished = {};
        Q_EMIT buildLogGrew(toQt(step.site), {});
    }
    const QStringList lines = state.unfinished.add(step.log);
    if (lines.isEmpty())
        return;
    state.buildLog += lines;
    state.buildLog.remove(0, std::max(qsizetype(0), state.buildLog.size() - kMostLogLines));
    Q_EMIT buildLogGrew(toQt(step.site), lines);
}

const SiteStates::State* SiteStates::find(const QString& site) const
{
    const auto found = m_states.find(toUtf8(site));
    return found == m_states.end() ? nullptr : &found->second;
}

SiteStatus SiteStates::statusOf(const QString& site) const
{
    const State* state = find(site);
    return state ? state->status : SiteStatus{toUtf8(site), SiteStatus::Contact::never, 0, {}};
}

std::map<std::string, SiteStatus> SiteStates::statuses() const
{
    std::map<std::string, SiteStatus> all;
    for (const auto& [name, state] : m_states)
        all.emplace(name, state.status);
    return all;
}

SiteStates::Steps SiteStates::stepsOf(const QString& site) const
{
    const State* state = find(site);
    if (!state)
        return {};
    Steps steps;
    for (const auto& [kind, seen] : state->known.steps)
        steps.emplace(kind, seen.step);
    if (state->isLost)
        for (auto& [kind, step] : steps)
            if (kind <= SiteStep::Kind::agent && step.state == SiteStep::State::ok && !state->shownSince.contains(kind))
                step = {step.site, kind, SiteStep::State::notTried, {}, {}, {}, {}};
    return steps;
}

std::vector<SiteFact> SiteStates::factsOf(const QString& site) const
{
    const State* state = find(site);
    return state ? state->known.facts : std::vector<SiteFact>{};
}

void SiteStates::restore(const QString& site, Known known)
{
    State& state = stateOf(toUtf8(site));
    if (state.known.steps.empty() && state.known.facts.empty())
        state.known = std::move(known);
}

SiteStates::Known SiteStates::knownOf(const QString& site) const
{
    const State* state = find(site);
    return state ? state->known : Known{};
}

void SiteStates::forgetKnown(const QString& site)
{
    State& state = stateOf(toUtf8(site));
    State bare;
    bare.status = std::move(state.status);
    bare.isLost = state.isLost;
    state = std::move(bare);
    Q_EMIT knownForgotten(site);
    Q_EMIT changed(site);
}

void SiteStates::forget(const QString& site)
{
    m_states.erase(toUtf8(site));
    m_removed.insert(toUtf8(site));
    Q_EMIT knownForgotten(site);
    Q_EMIT forgotten(site);
}

void SiteStates::lineEnded(const QString& site)
{
    m_removed.erase(toUtf8(site));
}

std::int64_t SiteStates::stepsAsOf(const QString& site) const
{
    std::int64_t oldest = m_startedAt;
    for (const auto& [kind, seen] : knownOf(site).steps)
        oldest = std::min(oldest, seen.at);
    return ifEarlier(oldest);
}

std::int64_t SiteStates::factsAsOf(const QString& site) const
{
    return ifEarlier(knownOf(site).factsAt);
}

QStringList SiteStates::buildLogOf(const QString& site) const
{
    const State* state = find(site);
    return state ? state->buildLog : QStringList();
}

std::optional<SiteStatus> SiteStates::firstLost(const std::set<std::string>& sites) const
{
    for (const auto& [name, state] : m_states)
        if (sites.contains(name) && state.isLost)
            return state.status;
    return std::nullopt;
}

void SiteStates::forgetAll()
{
    for (auto& [name, state] : std::exchange(m_states, {})) {
        std::erase_if(state.known.steps,
                      [](const auto& seen) { return seen.second.step.state == SiteStep::State::running; });
        stateOf(name).known = std::move(state.known);
        if (state.status.contact != SiteStatus::Contact::never)
            Q_EMIT changed(toQt(name));
    }
}

bool SiteStates::wasReached(const QString& site) const
{
    const State* state = find(site);
    return state && state->wasReached;
}

bool SiteStates::wasTested(const QString& site) const
{
    const State* state = find(site);
    return state && state->wasTested;
}

void SiteStates::beginTest(const QString& site)
{
    State& state = stateOf(toUtf8(site));
    const bool isConnected = state.status.contact == SiteStatus::Contact::connected;
    state.wasTested = true;
    state.hasBegun = false;
    state.before = state.known.steps;
    std::erase_if(state.known.steps,
                  [&](const auto& step) { return !isConnected || step.first > SiteStep::Kind::agent; });
    Q_EMIT changed(site);
}

void SiteStates::endTest(const QString& site)
{
    State& state = stateOf(toUtf8(site));
    auto before = std::exchange(state.before, {});
    std::map<SiteStep::Kind, SeenStep>& steps = state.known.steps;
    if (!state.hasBegun) {
        steps.merge(before);
        return Q_EMIT changed(site);
    }
    const SiteStep::Kind last = steps.rbegin()->first;
    for (const auto& [kind, step] : before)
        if (kind < last && kind != SiteStep::Kind::node) // a node is asked only on demand
            steps.emplace(kind, step);
    Q_EMIT changed(site);
}

} // namespace ringside
