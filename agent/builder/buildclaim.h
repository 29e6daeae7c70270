// SPDX-License-Identifier: MIT
// The right to build a worker: one builder does, others wait for it. It only saves work: each builder works in a folder
// of its own and what it made gets its name by rename, so that two of them do no harm.
#pragma once

#include "agent/builder/process.h"
#include "agent/builder/report.h"

#include <optional>

namespace ringside::builder {

/// Held until it is destroyed. A dead holder's claim goes to the next builder that asks.
class BuildClaim
{
public:
    /// Waits while another living builder has it, and reports its purpose and progress. Returns nullopt when that one
    /// finished our worker (`isFinished`), and its error when it failed meanwhile. A builder on another machine, of
    /// which only its files can be seen, counts as gone after 10 minutes without a line.
    static Result<std::optional<BuildClaim>> wait(const fs::path& worker, const std::function<bool()>& isFinished,
                                                  const Deadline& deadline, const Report& report);
    BuildClaim(BuildClaim&& other) noexcept
        : m_worker(std::move(other.m_worker))
        , m_lease(std::exchange(other.m_lease, {}))
        , m_scratch(std::exchange(other.m_scratch, {}))
    {
    }
    BuildClaim& operator=(BuildClaim&&) = delete;
    /// Removes the scratch folder.
    ~BuildClaim();

    /// A new, empty folder for this build alone.
    const fs::path& scratch() const { return m_scratch; }
    /// For those who wait.
    void note(const Progress& progress) const;
    void noteFailure(const Error& error) const;

private:
    BuildClaim(fs::path worker, fs::path lease)
        : m_worker(std::move(worker))
        , m_lease(std::move(lease))
    {
    }
    Result<void> makeScratch();

    fs::path m_worker;
    fs::path m_lease; ///< empty: none, as after a builder of which nothing can be seen
    fs::path m_scratch;
};

} // namespace ringside::builder
