// SPDX-License-Identifier: GPL-3.0-or-later
// Progress on standard error: one bar that is redrawn on a terminal, one line per ended run everywhere.
#pragma once

#include "app/cli/redrawnline.h"
#include "app/cli/runnames.h"
#include "core/store/rows.h"

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ringside::cli {

/// The wait of an ended run's line for its throughput, which is known some moments later.
inline constexpr std::chrono::seconds kSummaryLimit{5};

/// "running"; "unknown since 14:05", with the day if that is another one than today.
std::string stateText(const store::RunRow& run);
/// The outcome of a run: "5.83 images/s (disturbed)", "failed: Rank 1 ran out of memory …".
std::string outcome(const store::RunRow& run);

class Progress
{
public:
    using BadPictures = std::function<std::uint64_t(const store::RunRow&)>;

    /// `before`: the runs as they were before the launch. Runs that had ended by then are no news.
    Progress(const std::vector<store::RunRow>& before, BadPictures badPictures);

    /// The runs to wait for: all of the present matrix.
    void watch(const std::vector<store::RunRow>& runs);
    void update(const store::RunRow& run);
    void advance(const RunId& run, std::uint32_t lastSeq);
    /// A line that stays, above the bar.
    void say(const std::string& line);
    /// Says what ended and draws the bar; some times a second from the caller's loop.
    void draw();

    bool allEnded() const;
    /// All ended, and each of them was reported.
    bool allSaid() const { return allEnded() && m_ended.empty(); }

private:
    using Clock = std::chrono::steady_clock;

    void sayEnded();
    void sayWhy(const store::RunRow& run);
    std::string lineOf(const store::RunRow& run) const;
    std::string barText() const;

    BadPictures m_badPictures;
    RunNames m_names;
    std::map<RunId, store::RunRow> m_runs;
    std::set<std::pair<RunId, std::int64_t>> m_known; ///< ends that were noticed: run, and when
    std::map<RunId, Clock::time_point> m_ended;       ///< noticed, not reported yet
    std::set<std::string> m_reasons;                  ///< of waiting, printed once
    RedrawnLine m_bar;
};

} // namespace ringside::cli
