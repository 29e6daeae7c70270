// SPDX-License-Identifier: MIT
// A rank's spool while it trains: records from several threads, written every 200 ms by a thread of its own. On a
// network file system other hosts see it a second later at most.
#pragma once

#include "core/protocol/spool.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace ringside {

/// A kill costs at most this much of the record.
inline constexpr std::chrono::milliseconds kFlushInterval{200};

class Recorder
{
public:
    static Result<std::unique_ptr<Recorder>> create(const fs::path& path, const SpoolHeader& header);
    explicit Recorder(SpoolWriter writer);
    ~Recorder();

    /// Any thread; waits for no file.
    void add(Record record);
    /// Writes everything and the End record, once there is room for it; later records are ignored. Any thread; only the
    /// first call counts.
    Result<void> finish(int exitCode);

private:
    void work(std::stop_token stop);
    Result<void> write();
    Result<void> writeLocked();

    std::mutex m_recordsMutex; ///< held for a push_back or a swap only
    std::vector<Record> m_records;
    std::mutex m_writerMutex;
    SpoolWriter m_writer;
    std::uint32_t m_samples = 0;
    int m_unsynced = 0; ///< flushes
    bool m_finished = false;
    bool m_reported = false;
    std::condition_variable_any m_wake;
    std::jthread m_thread;
};

/// Both clocks now.
ClockPair clockPair();

} // namespace ringside
