// SPDX-License-Identifier: MIT
// Watches a rank's life and progress, read from its spool by open, read, close (NFS caches modification times).
#pragma once

#include "agent/runner/limits.h"
#include "core/base/files.h"
#include "core/protocol/spool.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::runner {

enum class RankHealth
{
    well,
    silent,
    hung
};

class RankWatch
{
public:
    /// `trains`: false for a process that serves, which has no samples; only its silence is held against it.
    RankWatch(fs::path spool, std::int64_t nowNs, bool trains = true)
        : m_spool(std::move(spool))
        , m_trains(trains)
        , m_beginNs(nowNs)
        , m_heardNs(nowNs)
        , m_progressNs(nowNs)
    {
    }

    /// Reads what was appended since the last look. Blocking, milliseconds. An unreadable spool is no news, and damage
    /// is read again by the next look. Returns whether there was anything whole.
    bool look(std::int64_t nowNs);

    /// `begunNs`: when the first rank of the attempt reported, if one did. All open their spools together.
    RankHealth health(std::int64_t nowNs, std::optional<std::int64_t> begunNs, const Limits& limits) const;
    /// For how long it has been silent or hung, as health() said.
    std::chrono::seconds unwellFor(RankHealth health, std::int64_t nowNs, std::optional<std::int64_t> begunNs,
                                   const Limits& limits) const;
    /// Nothing came for a while, which need not be its fault.
    bool isQuiet(std::int64_t nowNs, std::optional<std::int64_t> begunNs, const Limits& limits) const;
    /// It has come no further for half of the time after which it would have hung; a server never does.
    bool isStalled(std::int64_t nowNs, const Limits& limits) const;
    bool isHeard() const { return m_heardNs > m_beginNs; }
    /// One that has recorded all its iterations only waits for the others: their progress counts as its own. So it does
    /// for one that has recorded nothing where others `reportByLines`: of a program's lines it may print none.
    void waitForOthers(std::int64_t progressNs, bool reportByLines = false);
    /// Its samples are of several iterations, or ranks.
    bool reportsByLines() const { return m_reportsByLines; }
    /// Has output count, which the heartbeats of systems tell: one that prints is at something that is no iteration,
    /// such as a validation. So may be one that prints nothing beside others that stand and do; they did so last then.
    void noteOutput(std::int64_t othersSaidNs);
    /// The time when it was last seen to print.
    std::int64_t saidNs() const { return m_saidNs; }
    bool hasSamples() const { return m_samples > 0; }
    /// It has recorded all its iterations.
    bool isThrough() const;
    /// By its last heartbeat.
    const Heartbeat& standing() const { return m_standing; }
    bool trains() const { return m_trains; }
    /// The time when it was last seen to get on.
    std::int64_t progressNs() const { return m_progressNs; }
    /// Its silence until now no longer counts.
    void forgive(std::int64_t nowNs);
    /// The last `timeNs` do not count: the runner did not look.
    void leaveOut(std::int64_t timeNs);
    /// The rank's host, from its spool; empty until that has a header.
    std::string host() const { return m_header ? m_header->host : std::string(); }
    std::uint32_t iterations() const { return m_iterations; }
    /// Returns the number of ranks whose iterations its samples are; 0: it has none.
    std::uint32_t ofRanks() const { return m_ofRanks; }
    bool ended() const { return m_ended; }

private:
    void take(const Record& record, std::int64_t nowNs);
    struct Silence
    {
        std::int64_t sinceNs;
        std::int64_t limitNs; ///< how long it may last
    };
    Silence silence(std::optional<std::int64_t> begunNs, const Limits& limits) const;
    std::int64_t hungLimitNs(const Limits& limits) const;
    bool isTalking(std::int64_t nowNs, const Limits& limits) const;

    fs::path m_spool;
    bool m_trains;
    SpoolReader m_reader;
    std::uint64_t m_read = 0;
    std::optional<SpoolHeader> m_header;
    std::int64_t m_beginNs;
    std::int64_t m_heardNs;
    std::int64_t m_progressNs;
    std::uint64_t m_printed = 0;
    std::int64_t m_saidNs = 0;
    std::optional<std::int64_t> m_othersSaidNs; ///< none: what is printed does not count yet
    std::optional<std::uint32_t> m_seq;
    std::uint32_t m_samples = 0;
    std::uint32_t m_iterations = 0; ///< that they cover
    std::uint32_t m_ofRanks = 0;
    Heartbeat m_standing;
    /// A ring of the last kRecentIterations samples: one of several iterations is all that shows progress for so long.
    std::vector<std::int64_t> m_recentLengthsNs;
    bool m_reportsByLines = false;
    bool m_ended = false;
};

} // namespace ringside::runner
