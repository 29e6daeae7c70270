// SPDX-License-Identifier: MIT
#include "agent/rank/recorder.h"

#include "core/base/clock.h"
#include "core/base/filesystem.h"
#include "core/base/retrywhilediskfull.h"
#include "core/base/say.h"

#include <pthread.h>

namespace ringside {

namespace {

/// Once a second: the runner calls a rank lost of which it has seen nothing for 20.
constexpr int kFlushesPerSync = 5;

Readers readersOf(const fs::path& folder)
{
    const auto disk = fileSystemOf(folder);
    return disk && disk->network ? Readers::elsewhere : Readers::here;
}

} // namespace

ClockPair clockPair()
{
    return {monotonicNs(), wallNs()};
}

Result<std::unique_ptr<Recorder>> Recorder::create(const fs::path& path, const SpoolHeader& header)
{
    TRY_ASSIGN(auto writer, SpoolWriter::create(path, header, readersOf(path.parent_path())));
    return std::make_unique<Recorder>(std::move(writer));
}

Recorder::Recorder(SpoolWriter writer)
    : m_writer(std::move(writer))
    , m_thread([this](std::stop_token stop) { work(std::move(stop)); })
{
    pthread_setname_np(m_thread.native_handle(), "recorder");
}

Recorder::~Recorder() = default;

void Recorder::add(Record record)
{
    const std::lock_guard lock(m_recordsMutex);
    m_records.push_back(std::move(record));
}

void Recorder::work(std::stop_token stop)
{
    std::mutex sleep;
    std::unique_lock lock(sleep);
    while (!stop.stop_requested()) {
        m_wake.wait_for(lock, stop, kFlushInterval, [] { return false; });
        const auto written = write();
        if (!written && !std::exchange(m_reported, true))
            sayError("The spool cannot be written, samples are kept in memory: {}", written.error().text());
    }
}

Result<void> Recorder::write()
{
    const std::lock_guard lock(m_writerMutex);
    if (m_finished)
        return {};
    TRY(writeLocked());
    if (++m_unsynced < kFlushesPerSync)
        return {};
    m_unsynced = 0;
    return m_writer.sync();
}

Result<void> Recorder::writeLocked()
{
    std::vector<Record> records;
    {
        const std::lock_guard lock(m_recordsMutex);
        records.reserve(m_records.capacity());
        records.swap(m_records);
    }
    for (const auto& record : records) {
        m_writer.add(record);
        m_samples += std::holds_alternative<Sample>(record);
    }
    return m_writer.flush();
}

Result<void> Recorder::finish(int exitCode)
{
    const std::lock_guard lock(m_writerMutex);
    if (std::exchange(m_finished, true))
        return {};
    add(clockPair());
    // Samples dropped until now are the missing ones: from here on there is room for the little that follows.
    TRY(retryWhileDiskFull(kDiskFullPatience,
                           [this] { return writeLocked().and_then([this] { return m_writer.sync(); }); }));
    m_writer.add(End{m_samples, exitCode, m_writer.droppedSamples()});
    return retryWhileDiskFull(kDiskFullPatience,
                              [this] { return m_writer.flush().and_then([this] { return m_writer.sync(); }); });
}

} // namespace ringside
