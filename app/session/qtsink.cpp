// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/qtsink.h"

#include "app/text/text.h"

#include "core/base/clock.h"

#include <QTimer>
#include <algorithm>

namespace ringside {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kTick = 100ms, kSlow = 200ms, kSlowest = 500ms;
constexpr std::chrono::milliseconds kBudget = 8ms; // of a tick, for everything on the page

std::chrono::milliseconds intervalAfter(std::chrono::nanoseconds cost)
{
    if (cost <= kBudget)
        return kTick;
    return cost <= 4 * kBudget ? kSlow : kSlowest;
}

QStringList namesOf(const std::set<std::string>& experiments)
{
    QStringList names;
    std::ranges::transform(experiments, std::back_inserter(names), [](const std::string& name) { return toQt(name); });
    return names;
}

} // namespace

QtSink::QtSink()
    : m_interval(kTick)
{
}

void QtSink::forget()
{
    const std::lock_guard lock(m_mutex);
    ++m_era;
    m_pending = {};
}

template <class Change> void QtSink::collect(Change change)
{
    const std::lock_guard lock(m_mutex);
    change(m_pending);
    if (!std::exchange(m_scheduled, true))
        QMetaObject::invokeMethod(
            this, [this] { schedule(); }, Qt::QueuedConnection);
}

void QtSink::experimentsChanged(const std::vector<std::string>& names)
{
    collect([&](Pending& p) { p.experiments.insert(names.begin(), names.end()); });
}

void QtSink::runsChanged(const std::vector<store::RunRow>& rows)
{
    collect([&](Pending& p) {
        for (const auto& row : rows)
            p.runs.insert_or_assign(row.id, row);
    });
}

void QtSink::samplesArrived(const SampleBatch& batch)
{
    collect([&](Pending& p) {
        p.samples.push_back(batch);
        p.sampleCount += batch.samples.size();
        while (p.sampleCount > kMaxSamples && p.samples.size() > 1) {
            p.sampleCount -= p.samples.front().samples.size();
            p.leftOut += p.samples.front().samples.size();
            p.samples.erase(p.samples.begin());
        }
    });
}

void QtSink::telemetryArrived(const TelemetryBatch& batch)
{
    collect([&](Pending& p) {
        if (p.telemetry.size() < kMaxSamples)
            p.telemetry.push_back(batch);
    });
}

void QtSink::clocksArrived(const ClockBatch& batch)
{
    collect([&](Pending& p) {
        if (p.clocks.size() < kMaxSamples)
            p.clocks.push_back(batch);
    });
}

void QtSink::logArrived(const LogText& text)
{
    collect([&](Pending& p) {
        p.log.push_back(text);
        p.logBytes += text.text.size();
        while (p.logBytes > kMaxLogBytes && p.log.size() > 1) {
            p.logBytes -= p.log.front().text.size();
            p.log.erase(p.log.begin());
        }
    });
}

void QtSink::siteChanged(const SiteStatus& status)
{
    collect([&](Pending& p) { p.sites.insert_or_assign(status.name, status); });
}

void QtSink::siteStepped(const SiteStep& step)
{
    collect([&](Pending& p) {
        SiteStep& latest = p.steps[std::pair(step.site, step.kind)];
        std::string log = std::move(latest.log) + step.log;
        latest = step;
        latest.log = std::move(log);
    });
}

void QtSink::siteFound(const std::string& site, const std::vector<SiteFact>& facts)
{
    const auto emitFacts = [this, site, facts] { Q_EMIT siteFactsReceived(QString::fromStdString(site), facts); };
    post(emitFacts);
}

void QtSink::problem(const Error& error)
{
    post([this, error] { Q_EMIT problemFound(error); });
}

void QtSink::schedule()
{
    const auto since = std::chrono::nanoseconds(monotonicNs() - m_lastFlush);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(m_interval - since);
    QTimer::singleShot(std::max(left, 0ms), Qt::PreciseTimer, this, &QtSink::flush);
}

void QtSink::flush()
{
    Pending pending;
    {
        const std::lock_guard lock(m_mutex);
        std::swap(pending, m_pending);
        m_scheduled = false;
    }
    const auto start = monotonicNs();
    give(std::move(pending));
    m_lastFlush = monotonicNs();
    m_interval = intervalAfter(std::chrono::nanoseconds(m_lastFlush - start));
}

void QtSink::give(Pending p)
{
    const auto values = [](auto& map) {
        std::vector<typename std::decay_t<decltype(map)>::mapped_type> list;
        list.reserve(map.size());
        for (auto& [key, value] : map)
            list.push_back(std::move(value));
        return list;
    };
    if (!p.sites.empty())
        Q_EMIT sitesUpdated(values(p.sites));
    if (!p.steps.empty())
        Q_EMIT siteStepsReceived(values(p.steps));
    if (!p.runs.empty())
        Q_EMIT runsUpdated(values(p.runs));
    if (!p.experiments.empty())
        Q_EMIT runsOutdated(namesOf(p.experiments));
    if (!p.clocks.empty()) // before the samples, which they place in time
        Q_EMIT clocksReceived(p.clocks);
    if (!p.samples.empty())
        Q_EMIT samplesReceived(p.samples);
    if (!p.telemetry.empty())
        Q_EMIT telemetryReceived(p.telemetry);
    if (!p.log.empty())
        Q_EMIT logReceived(p.log);
    if (p.leftOut > 0)
        Q_EMIT samplesLeftOut(p.leftOut);
}

} // namespace ringside
