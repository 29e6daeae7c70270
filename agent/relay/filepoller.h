// SPDX-License-Identifier: MIT
// The files of attempts, looked at one after the other: a few in each poll, and on from where the last one stopped, so
// that no rank waits for those before it to fall silent.
#pragma once

#include "agent/relay/filefollower.h"
#include "agent/relay/output.h"

#include <map>
#include <utility>
#include <vector>

namespace ringside::relay {

using AttemptKey = std::pair<RunId, int>;
using AttemptFiles = std::vector<FileFollower>;

/// Limits of one poll, and its work so far.
struct PollBudget
{
    Output& output;
    std::size_t looksLeft = 0;
    bool news = false;

    bool mayLook() const { return looksLeft > 0 && output.roomy(); }
};

class FilePoller
{
public:
    /// Begins anew, so that a pass that ends has seen these files, too.
    void add(const AttemptKey& attempt, AttemptFiles files);
    bool has(const AttemptKey& attempt) const { return m_attempts.contains(attempt); }
    /// Nothing more is written to the files of an attempt, if it is here.
    void close(const AttemptKey& attempt);
    /// Leaves out the logs of an attempt that the app has.
    void leaveOutKnownLogs(const AttemptKey& attempt);
    /// Moves an attempt, if it is here, into `other`.
    void hand(const AttemptKey& attempt, FilePoller& other);

    /// The next `goOn` looks at every file again.
    void begin();
    /// Sends what is new, a piece of each file in turn, while the budget has looks and room. True once every file was
    /// seen to its end; the next call begins anew.
    Result<bool> goOn(PollBudget& budget);

    void clear() { *this = {}; }

private:
    Result<bool> lookAtEach(PollBudget& budget);

    std::map<AttemptKey, AttemptFiles> m_attempts;
    std::pair<AttemptKey, std::size_t> m_next; ///< attempt and index of its file
    bool m_isBehind = false;                   ///< a file has more than the piece that was sent
};

} // namespace ringside::relay
