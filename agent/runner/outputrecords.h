// SPDX-License-Identifier: MIT
// The records of a process that is not ours: what its driver prints, or else its own lines, becomes the samples of its
// spool, beside heartbeats and telemetry. It prints into its log; that is read behind it, so it never waits for a
// reader.
#pragma once

#include "agent/rank/recorder.h"
#include "agent/rank/telemetrythread.h"
#include "agent/runner/rankexit.h"
#include "agent/runner/rankreports.h"
#include "core/base/descriptor.h"
#include "core/logs/driverline.h"
#include "core/logs/lines.h"
#include "core/logs/linesamples.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <sys/types.h>

namespace ringside::runner {

/// One thread; its own threads write the spool and read telemetry.
class OutputRecords
{
public:
    struct Begun
    {
        std::uint32_t ofRanks = 1; ///< whose iterations it reports
        /// Writes the facts of the attempt; empty: another process does. Fails with why::kNoSpace while the disk is
        /// full, and is called at each look then, for Limits::journal.
        std::function<OrReason<void>()> writeFacts = {};
    };
    /// Called when the process, which may have ended since, says what it is; the first that trains has the facts of the
    /// attempt, or one that tells for others. Fails where that is not what its run asks for.
    using OnBegin = std::function<OrReason<Begun>(const logs::DriverBegin&, pid_t process)>;

    /// The meaning of its own lines, for a process that none of our drivers runs in.
    struct OwnLines
    {
        logs::LogFormat format;
        logs::KnownOfRun known;
    };
    /// Makes the spool, in which there are heartbeats from now on. The process, which is `ranks`, prints to `log` from
    /// where that ends now.
    static Result<std::unique_ptr<OutputRecords>> open(const fs::path& spool, const SpoolHeader& header, OwnRanks ranks,
                                                       const fs::path& log, OnBegin onBegin,
                                                       std::optional<OwnLines> ownLines = {});
    /// Records telemetry of it until `complete`; `gpu`: of its GPUs, if it has some.
    void watch(pid_t process, TelemetryThread::Gpu gpu = {});
    /// Reads what was printed since the last look. Never fails: lines that are no records are skipped.
    void look();
    /// The reason for which the process has to end.
    const std::optional<Reason>& refusal() const { return m_refusal; }
    /// Reads the rest and completes the spool; blocks while the disk is full, for minutes at most. A process that was
    /// refused ends as one that refuses its settings, or that found its disk full, with the reason as the last line of
    /// its log.
    void complete(RankExit& exit, int log);

private:
    Result<void> finish(int exitCode);
    OutputRecords(std::unique_ptr<Recorder> recorder, Descriptor log, std::uint64_t begin, const SpoolHeader& header,
                  OwnRanks ranks, OnBegin onBegin);
    void readLine(std::uint64_t number, std::string_view line);
    void begin(const logs::DriverBegin& said);
    void refuse(OrReason<void> checked);
    void writeFacts();
    void awaitFacts();
    void addIteration(const logs::DriverIteration& iteration);
    void add(const Sample& sample);
    void addOwn(bool isOver);
    LoopStage stage() const;

    std::unique_ptr<Recorder> m_recorder;
    Descriptor m_log;
    std::atomic<std::uint64_t> m_read;
    std::int64_t m_readNs = 0; ///< when the last piece was read
    int m_rank;
    int m_ranks = 0;     ///< of the run, where its own lines are read: of a role, the header has all processes
    pid_t m_process = 0; ///< from watch() on
    OwnRanks m_ownRanks;
    RankReports m_reports;
    std::uint32_t m_warmup, m_iterations;
    std::uint32_t m_firstOfLines = 0; ///< as of DriverBegin
    bool m_isCut = false;             ///< the last line is a part of a record
    OnBegin m_onBegin;
    std::function<OrReason<void>()> m_writeFacts; ///< empty: nothing is to be written
    std::int64_t m_factsUntilNs = 0;              ///< monotonic clock: so long they wait for room
    std::optional<Reason> m_refusal;
    logs::LineSplitter m_lines;
    std::unique_ptr<logs::LineSamples> m_own; ///< until a driver says that it records
    std::atomic<std::uint32_t> m_next = 0;    ///< the iteration that comes
    std::atomic<bool> m_hasBegun = false;
    std::unique_ptr<TelemetryThread> m_telemetry; ///< uses all of the above
};

} // namespace ringside::runner
