// SPDX-License-Identifier: MIT
// The journal: what the runner did, one JSON line with a checksum per event, append-only. A torn last line is ignored.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/protocol/states.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ringside {

inline constexpr int kJournalFormat = 1;

enum class JournalKind {
    runnerStarted,  ///< a runner holds the lease
    attemptStarted, ///< run, attempt
    attemptEnded,   ///< run, attempt, state, cause, reason, rank
    held,           ///< the control file "hold" was seen
    continued,
    runnerEnded,    ///< every run of the plan has an end, or the campaign was cancelled, or time is up
};

struct JournalEvent
{
    JournalKind kind = JournalKind::runnerStarted;
    std::int64_t wallNs = 0;
    std::optional<RunId> run;
    int attempt = 0;
    RunState state = RunState::unknown; ///< attemptEnded: done, failed, cancelled or requeued (preempted)
    Cause cause = Cause::none;
    std::string reason;                 ///< one sentence for people
    std::optional<int> rank;            ///< the rank that was lost
    std::string host;
    int lease = 1;                      ///< which runner wrote it
    bool operator==(const JournalEvent&) const = default;
};

std::string_view nameOf(JournalKind kind);

/// One line, newline included.
std::string encodeJournalLine(const JournalEvent& event);
Result<JournalEvent> decodeJournalLine(std::string_view line);

/// Appends and flushes to disk (fdatasync). Blocking.
class Journal
{
public:
    static Result<Journal> open(const fs::path& path);
    Journal(Journal&&) noexcept;
    Journal& operator=(Journal&&) noexcept;
    ~Journal();
    Result<void> append(const JournalEvent& event);

private:
    explicit Journal(int fd, fs::path path);
    int m_fd = -1;
    fs::path m_path;
};

/// A state machine over partial input; a line is consumed when its newline is there. A damaged line in the middle is
/// an error that names its number; the journal is not guessed at.
class JournalReader
{
public:
    explicit JournalReader(std::uint64_t offset = 0) : m_offset(offset) {}
    Result<void> feed(std::string_view bytes, const std::function<void(const JournalEvent&)>& onEvent);
    std::uint64_t offset() const { return m_offset; }

private:
    std::uint64_t m_offset = 0;
    std::uint64_t m_lines = 0;
    std::string m_pending;
};

} // namespace ringside
