// SPDX-License-Identifier: GPL-3.0-or-later
// Progress on standard error: one bar that is redrawn on a terminal, one line per ended run elsewhere.
#pragma once

#include "core/store/rows.h"

#include <map>
#include <string>

namespace ringside::cli {

/// "Run 12  AlexNet · buckets · 2 CPU ranks · repeat 3": what tells a run apart for people.
std::string describe(const store::RunRow& run);

class Progress
{
public:
    /// `runs`: all runs of the present matrix.
    explicit Progress(const std::vector<store::RunRow>& runs);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void update(const store::RunRow& run);
    void advance(const RunId& run, std::uint32_t lastSeq);
    /// A line that stays, above the bar.
    void say(const std::string& line);
    /// Draws the bar; at most some times a second from the caller's loop.
    void draw();

    bool allEnded() const;
    bool anyFailed() const;

private:
    void clear();
    std::string barText() const;

    std::map<RunId, store::RunRow> m_runs;
    bool m_terminal = false;
    bool m_drawn = false;
};

} // namespace ringside::cli
