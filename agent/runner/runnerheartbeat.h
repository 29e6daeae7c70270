// SPDX-License-Identifier: MIT
// What ties the guards of several nodes to their runner: a small file in the attempt's folder, which all of them see.
// The runner writes to it every second; a file that says stop, or that nobody writes to, ends the ranks.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ringside::runner {

/// The runner's end.
class RunnerHeartbeat
{
public:
    /// Creates the file and writes to it from a thread of its own, so that a slow look at a thousand spools is not
    /// taken for a death.
    static Result<RunnerHeartbeat> make(const fs::path& file);
    RunnerHeartbeat(RunnerHeartbeat&&) noexcept;
    RunnerHeartbeat& operator=(RunnerHeartbeat&&) noexcept;
    /// Stops writing; the file stays as it is.
    ~RunnerHeartbeat();

    /// Tells all guards to end their ranks, and to kill what is left after `grace`. The first call counts.
    void stop(std::chrono::milliseconds grace);

private:
    struct Writer;
    explicit RunnerHeartbeat(std::unique_ptr<Writer> writer);
    std::unique_ptr<Writer> m_writer;
};

/// A guard's end. Counts looks, not time: while the shared folder stalls nobody looks, and the runner cannot write.
class RunnerHeartbeatReader
{
public:
    /// The runner counts as gone after `patience` looks that found nothing new.
    RunnerHeartbeatReader(fs::path file, int patience)
        : m_file(std::move(file))
        , m_patience(patience)
    {
    }

    /// Reads by open, read, close (NFS keeps what is open in a cache). Blocking, milliseconds.
    /// How long the ranks have to end, once they must; nullopt while all is well.
    std::optional<std::chrono::milliseconds> look();

private:
    fs::path m_file;
    int m_patience;
    std::string m_last;
    int m_unchanged = 0;
};

} // namespace ringside::runner
