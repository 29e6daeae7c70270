// SPDX-License-Identifier: MIT
// The journal: what the runner did, one JSON line with a checksum per event, append-only. A torn last line is ignored.
#pragma once

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/protocol/names.h"
#include "core/protocol/reason.h"
#include "core/protocol/states.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ringside {

inline constexpr int kJournalFormat = 1;
inline constexpr std::size_t kMaxJournalLine = 64u << 10; ///< newline not counted

enum class JournalKind
{
    runnerStarted,  ///< a runner holds the lease
    attemptStarted, ///< run, attempt
    attemptEnded,   ///< run, attempt, state, cause, reason, rank
    held,           ///< the control file "hold" was seen
    continued,
    waits,       ///< another campaign has the lock (why::kBusy). `continued` ends it, as it ends `held`
    runnerEnded, ///< every run of the plan has an end, or the campaign was cancelled, or time is up
};
constexpr auto namesOf(JournalKind)
{
    return std::to_array<std::string_view>(
        {"runner_started", "attempt_started", "attempt_ended", "held", "continued", "waits", "runner_ended"});
}

struct JournalEvent
{
    JournalKind kind = JournalKind::runnerStarted;
    std::int64_t wallNs = 0;
    std::optional<RunId> run;
    int attempt = 0;
    RunState state = RunState::unknown; ///< attemptEnded: done, failed, cancelled or requeued (preempted)
    Cause cause = Cause::none;
    Reason reason;           ///< empty: none
    std::optional<int> rank; ///< the rank that was lost
    std::string host;
    int lease = 1; ///< which runner wrote it
    bool operator==(const JournalEvent&) const = default;
};

/// One line, newline included.
std::string encodeJournalLine(const JournalEvent& event);
/// Fails with damaged, or newerVersion for a format or a kind that is not known here.
Result<JournalEvent> decodeJournalLine(std::string_view line);

/// Appends and flushes to disk (fdatasync). Blocking. A line that a dead writer left torn is marked as such and closed
/// first, so what is in the file never changes.
class Journal
{
public:
    static Result<Journal> open(const fs::path& path);
    Result<void> append(const JournalEvent& event);

private:
    Journal(Descriptor file, fs::path path)
        : m_file(std::move(file))
        , m_path(std::move(path))
    {
    }
    Descriptor m_file;
    fs::path m_path;
};

/// A state machine over partial input; a line is consumed when its newline is there. A damaged line in the middle is
/// an error that names its number, and stays one; the journal is not guessed at. Events of a kind that only a later
/// version knows are skipped.
class JournalReader
{
public:
    explicit JournalReader(std::uint64_t offset = 0)
        : m_offset(offset)
    {
    }
    Result<void> feed(std::string_view bytes, const std::function<void(const JournalEvent&)>& onEvent);
    /// Byte offset after the last whole line: the cursor.
    std::uint64_t offset() const { return m_offset; }

private:
    bool consumeLine(std::string_view line, const std::function<void(const JournalEvent&)>& onEvent);
    void stop(Error error);

    std::uint64_t m_offset = 0;
    std::uint64_t m_lines = 0;
    std::size_t m_searched = 0; ///< bytes of m_pending known to hold no newline
    std::string m_pending;
    std::optional<Error> m_error;
};

} // namespace ringside
