// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress.h"

#include "app/cli/output.h"
#include "core/base/say.h"
#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/jobs/programs/table.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/report/items.h"
#include "core/report/numbers.h"
#include "core/store/runflag.h"

#include <algorithm>

namespace ringside::cli {

namespace {

constexpr int kBarCells = 24;

/// Samples may come home after the word that the run is done; until then its numbers are of a part of them.
bool isSettled(const store::RunRow& run)
{
    const bool incomplete = contains(run.flags, store::runflag::kIncomplete);
    const bool isMeasured = run.itemsPerSecond || !jobs::programOf(run.settings).trains();
    return run.state != RunState::done || (isMeasured && !incomplete);
}

} // namespace

std::string stateText(const store::RunRow& run)
{
    std::string text(nameOf(run.state));
    if (run.state == RunState::unknown && run.since > 0)
        text += " since " + clockText(run.since);
    return text;
}

std::string outcome(const store::RunRow& run)
{
    std::string text = stateText(run);
    if (run.state == RunState::done && run.itemsPerSecond)
        text = fmt::format("{} {}", report::formatShort(*run.itemsPerSecond),
                           report::itemWords(report::itemsOf(run.settings)).perSecond);
    else if (const std::string why = jobs::sentenceOf(run.reason.value_or(Reason())); !why.empty())
        text = run.state == RunState::cancelled ? why : text + ": " + why; // the former says that it was cancelled
    for (const std::string& flag : run.flags)
        text += " (" + flag + ")";
    return text;
}

Progress::Progress(const std::vector<store::RunRow>& before, BadPictures badPictures)
    : m_badPictures(std::move(badPictures))
{
    for (const store::RunRow& run : before)
        if (isFinal(run.state))
            m_known.emplace(run.id, run.since);
}

void Progress::watch(const std::vector<store::RunRow>& runs)
{
    m_names = RunNames(runs);
    for (const store::RunRow& run : runs)
        m_runs.emplace(run.id, run);
    for (const store::RunRow& run : runs)
        update(run);
}

void Progress::update(const store::RunRow& run)
{
    const auto found = m_runs.find(run.id);
    if (found == m_runs.end())
        return;
    found->second = run;
    if (!isFinal(run.state))
        sayWhy(run);
    else if (m_known.emplace(run.id, run.since).second)
        m_ended.emplace(run.id, Clock::now());
}

/// All runs of a campaign wait for the same: it is printed once.
void Progress::sayWhy(const store::RunRow& run)
{
    const bool waits = isWaiting(run.state) || run.state == RunState::unknown;
    if (!waits || !run.reason || isOrdinaryWait(*run.reason))
        return;
    const std::string reason = jobs::sentenceOf(*run.reason);
    if (!reason.empty() && m_reasons.insert(reason).second)
        say(reason);
}

void Progress::sayEnded()
{
    std::erase_if(m_ended, [this](const auto& ended) {
        const store::RunRow& run = m_runs.at(ended.first);
        const bool due = isSettled(run) || Clock::now() - ended.second >= kSummaryLimit;
        if (due)
            say(lineOf(run));
        return due;
    });
}

std::string Progress::lineOf(const store::RunRow& run) const
{
    const std::uint64_t bad = run.state == RunState::done ? m_badPictures(run) : 0;
    return fmt::format("{}: {}{}", m_names.describe(run), outcome(run),
                       bad ? fmt::format(", {} bad picture{} replaced", bad, bad == 1 ? "" : "s") : "");
}

void Progress::advance(const RunId& run, std::uint32_t lastSeq)
{
    if (const auto found = m_runs.find(run); found != m_runs.end())
        found->second.lastSeq = std::max(found->second.lastSeq, lastSeq);
}

void Progress::say(const std::string& line)
{
    m_bar.clear();
    sayErrorLine(line);
}

void Progress::draw()
{
    sayEnded();
    m_bar.draw(barText());
}

bool Progress::allEnded() const
{
    return std::ranges::all_of(m_runs, [](const auto& run) { return isFinal(run.second.state); });
}

std::string Progress::barText() const
{
    const auto ended = std::ranges::count_if(m_runs, [](const auto& run) { return isFinal(run.second.state); });
    const int filled =
        m_runs.empty() ? kBarCells : static_cast<int>(kBarCells * ended / static_cast<long>(m_runs.size()));
    std::string text =
        fmt::format("[{:=<{}}{:<{}}] {} of {} runs", "", filled, "", kBarCells - filled, ended, m_runs.size());
    for (const auto& [id, run] : m_runs)
        if (run.state == RunState::running)
            text += fmt::format(" · run {}, iteration {} of {}", run.number, run.lastSeq + 1, run.iterations);
    return text;
}

} // namespace ringside::cli
