// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/shownrun.h"

#include "app/pages/monitor/loadcard.h"

#include <utility>

namespace ringside {

Result<LoadedRun> LoadedRun::read(const store::Database& db, const store::RunRow& row, const std::stop_token& stop)
{
    LoadedRun loaded{LiveRun(row), {}};
    TRY_ASSIGN(const StoredAttempt stored,
               StoredAttempt::read(db, row.id, row.attempt, loaded.run.rankProcesses(), stop));
    loaded.run.add(stored);
    for (const store::RankTelemetry& telemetry : stored.telemetry)
        loaded.load.add(telemetry.rank, telemetry.telemetry);
    for (const store::RankGpuTelemetry& telemetry : stored.gpuTelemetry)
        loaded.load.add(telemetry.rank, telemetry.telemetry);
    return loaded;
}

ShownRun::ShownRun(Session& session, LoadCard& load)
    : m_session(session)
    , m_load(load)
{
    connect(&session.live(), &QtSink::samplesReceived, this, &ShownRun::takeSamples);
    connect(&session.live(), &QtSink::telemetryReceived, this, &ShownRun::takeTelemetry);
    connect(&session.live(), &QtSink::clocksReceived, this, &ShownRun::takeClocks);
}

void ShownRun::show(const store::RunRow& run)
{
    m_run = LiveRun(run);
    m_workJob.cancel();
    m_load.show({}, run.ranksPerProcess);
    Q_EMIT changed();
    loadAnother();
}

void ShownRun::showNone()
{
    show({});
}

void ShownRun::update(const store::RunRow& run)
{
    const bool isNewAttempt = run.attempt != row().attempt;
    const bool isNewState = run.state != row().state;
    m_run.update(run);
    if (isNewAttempt)
        loadAnother(); // some of it may have come before this
    else if (isNewState && !m_run.work().flopsPerImage)
        loadWork();
    Q_EMIT changed();
}

/// Queries under way are about another run, or another attempt.
void ShownRun::loadAnother()
{
    m_storedJob.cancel();
    m_meanwhile.clear();
    load();
}

void ShownRun::load()
{
    if (row().id.empty() || row().attempt == 0)
        return;
    m_session.queries().askRepeatedly(
        m_storedJob,
        [row = row()](const store::Database& db, const std::stop_token& stop) {
            return LoadedRun::read(db, row, stop);
        },
        [this](Result<LoadedRun> stored) {
            stored ? takeStored(std::move(*stored)) : failed(stored.error());
            m_meanwhile.clear(); // for the next question
        });
}

/// Facts come after their attempt has begun.
void ShownRun::loadWork()
{
    m_session.queries().ask(
        m_workJob,
        [id = row().id, attempt = row().attempt](const store::Database& db, std::stop_token) {
            return RunWork::read(db, id, attempt);
        },
        [this](const Result<RunWork>& work) {
            work ? m_run.setWork(*work) : failed(work.error());
            Q_EMIT changed();
        });
}

void ShownRun::takeStored(LoadedRun stored)
{
    LiveRun run = std::move(stored.run);
    run.update(row());
    run.addClocksOf(m_run); // some may have come meanwhile
    for (const SampleBatch& batch : m_meanwhile)
        for (const Sample& sample : batch.samples)
            run.add(batch.rank, sample);
    m_run = std::move(run);
    m_load.show(std::move(stored.load), row().ranksPerProcess);
    Q_EMIT changed();
}

void ShownRun::takeSamples(const std::vector<SampleBatch>& batches)
{
    bool touched = false;
    for (const SampleBatch& batch : batches) {
        if (batch.samples.empty() || !isOf(batch.run, batch.attempt))
            continue;
        for (const Sample& sample : batch.samples)
            m_run.add(batch.rank, sample);
        if (m_storedJob.isUnderWay())
            m_meanwhile.push_back(batch);
        touched = true;
    }
    if (touched)
        Q_EMIT changed();
}

void ShownRun::takeTelemetry(const std::vector<TelemetryBatch>& batches)
{
    for (const TelemetryBatch& batch : batches) {
        if (!isOf(batch.run, batch.attempt))
            continue;
        for (const Telemetry& telemetry : batch.telemetry)
            m_load.add(batch.rank, telemetry);
        for (const GpuTelemetry& telemetry : batch.gpuTelemetry)
            m_load.add(batch.rank, telemetry);
    }
}

void ShownRun::takeClocks(const std::vector<ClockBatch>& batches)
{
    for (const ClockBatch& batch : batches)
        if (isOf(batch.run, batch.attempt))
            for (const ClockOffset& clock : batch.clocks)
                m_run.addClock(batch.rank, clock);
}

} // namespace ringside
