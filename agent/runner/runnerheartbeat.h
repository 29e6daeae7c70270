// SPDX-License-Identifier: MIT
// Ties the guards of several nodes to their runner: a small file in the attempt's folder, which all of them see. The
// runner writes to it every second; the ranks end when it says stop or is not written any more.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace ringside::runner {

/// The runner's end.
class RunnerHeartbeat
{
public:
    /// Creates the file and writes to it from a thread of its own, so that a slow look at a thousand spools does not
    /// seem a death.
    static Result<RunnerHeartbeat> make(const fs::path& file);
    RunnerHeartbeat(RunnerHeartbeat&&) noexcept;
    RunnerHeartbeat& operator=(RunnerHeartbeat&&) noexcept;
    /// Stops writing; the file stays as it is.
    ~RunnerHeartbeat();

    /// Makes all guards end their ranks, and kill what is left after `grace`. The first call counts.
    void stop(std::chrono::milliseconds grace);

private:
    struct Writer;
    explicit RunnerHeartbeat(std::unique_ptr<Writer> writer);
    std::unique_ptr<Writer> m_writer;
};

/// A guard's end. Counts looks, not time: while the shared folder stalls, guards cannot look and the runner cannot
/// write.
class RunnerHeartbeatReader
{
public:
    /// The runner counts as gone after `patience` looks that found nothing new.
    RunnerHeartbeatReader(fs::path file, int patience)
        : m_file(std::move(file))
        , m_patience(patience)
    {
    }

    /// Reads by open, read, close (NFS caches open files). Blocking, milliseconds. Returns the ranks' time to end, once
    /// they must; nullopt while all is well.
    std::optional<std::chrono::milliseconds> look();

private:
    fs::path m_file;
    int m_patience;
    std::string m_last;
    int m_unchanged = 0;
};

} // namespace ringside::runner
