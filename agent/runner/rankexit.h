// SPDX-License-Identifier: MIT
// The end of one rank's process: written by its guard beside the spool (rank-r.exit), read by the runner.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/protocol/reason.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ringside::runner {

struct RankExit
{
    int code = 0;          ///< exit code; meaningless after a signal
    int signal = 0;        ///< that ended it; 0 if it ended by itself
    bool told = false;     ///< its guard had passed on a request to end before
    std::int64_t atNs = 0; ///< monotonic clock of its host
    std::string host;
    bool memoryRanOut = false;   ///< the kernel ended processes of its memory group meanwhile
    bool suspended = false;      ///< its guard ended it, for it had been stopped and did not go on
    std::uint64_t peakBytes = 0; ///< the most memory that it had resident; 0: unknown
    std::uint64_t wentOn = 0;    ///< processes of the rank that its guard, on another host, had to end after it
    /// Iterations by the numbers in its own records; nullopt: it made none, or its lines are read by patterns.
    std::optional<std::uint64_t> recorded = {};
    bool cutRecord = false; ///< the last of its records broke off
    Reason why = {};        ///< of its guard, which did not start it, or ended it; empty: its own end says enough
    bool operator==(const RankExit&) const = default;

    static RankExit fromWaitStatus(int status);
    /// As a shell would say it: the code, or 128 + signal.
    int shellCode() const { return signal ? 128 + signal : code; }
    bool clean() const { return signal == 0 && code == 0; }
};

/// Notes why the guard of this rank did not start it, or ended it, and writes it to its log. What is only a text is the
/// last line there.
void noteWhy(RankExit& exit, int rank, Reason reason, int log);

Result<void> writeRankExit(const fs::path& attempt, int rank, const RankExit& exit);
/// Makes and removes a file there: until a folder changes for it, an NFS client may believe for up to a minute that
/// what another host has written is not there.
void forgetAbsentFiles(const fs::path& attempt);
/// nullopt if the rank has not ended, or its guard was killed before it could say so.
std::optional<RankExit> readRankExit(const fs::path& attempt, int rank);

} // namespace ringside::runner
