// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress.h"

#include "core/base/text.h"
#include "core/report/names.h"
#include "core/report/numbers.h"
#include "core/spec/schema.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace ringside::cli {

namespace {

constexpr int kBarCells = 24;

std::string outcome(const store::RunRow& run)
{
    if (run.state == RunState::done && run.itemsPerSecond)
        return fmt::format("{} images/s", report::formatShort(*run.itemsPerSecond));
    std::string text(nameOf(run.state));
    if (run.reason)
        text += ": " + plainText(*run.reason);
    return text;
}

std::string flagsText(const store::RunRow& run)
{
    std::string text;
    for (const std::string& flag : run.flags)
        text += " (" + flag + ")";
    return text;
}

} // namespace

std::string describe(const store::RunRow& run)
{
    std::string text = fmt::format("run {}", run.number);
    for (const char* key : {"model", "plan"})
        if (const auto found = run.factors.find(key); found != run.factors.end())
            text += " · " + spec::labelOf(key, found->second);
    return text + fmt::format(" · {} · repeat {}", report::ranksText(run.factors), run.repeat);
}

Progress::Progress(const std::vector<store::RunRow>& runs) : m_terminal(isatty(STDERR_FILENO) != 0)
{
    for (const store::RunRow& run : runs)
        m_runs.emplace(run.id, run);
}

Progress::~Progress() { clear(); }

void Progress::update(const store::RunRow& run)
{
    const auto found = m_runs.find(run.id);
    if (found == m_runs.end())
        return;
    const bool ended = isFinal(run.state) && !isFinal(found->second.state);
    found->second = run;
    if (ended)
        say(fmt::format("{}: {}{}", describe(run), outcome(run), flagsText(run)));
}

void Progress::advance(const RunId& run, std::uint32_t lastSeq)
{
    if (const auto found = m_runs.find(run); found != m_runs.end())
        found->second.lastSeq = std::max(found->second.lastSeq, lastSeq);
}

void Progress::say(const std::string& line)
{
    clear();
    fmt::print(stderr, "{}\n", line);
}

void Progress::draw()
{
    if (!m_terminal)
        return;
    clear();
    fmt::print(stderr, "{}", barText());
    std::fflush(stderr);
    m_drawn = true;
}

bool Progress::allEnded() const
{
    return std::all_of(m_runs.begin(), m_runs.end(), [](const auto& run) { return isFinal(run.second.state); });
}

bool Progress::anyFailed() const
{
    return std::any_of(m_runs.begin(), m_runs.end(), [](const auto& run) {
        return run.second.state == RunState::failed || run.second.state == RunState::cancelled;
    });
}

void Progress::clear()
{
    if (m_drawn)
        fmt::print(stderr, "\r\x1b[K");
    m_drawn = false;
}

std::string Progress::barText() const
{
    const auto ended = std::count_if(m_runs.begin(), m_runs.end(), [](const auto& run) { return isFinal(run.second.state); });
    const int filled = m_runs.empty() ? kBarCells : static_cast<int>(kBarCells * ended / static_cast<long>(m_runs.size()));
    std::string text = fmt::format("[{:=<{}}{:<{}}] {} of {} runs", "", filled, "", kBarCells - filled, ended, m_runs.size());
    for (const auto& [id, run] : m_runs)
        if (run.state == RunState::running)
            text += fmt::format(" · run {}, iteration {} of {}", run.number, run.lastSeq + 1, run.iterations);
    return text;
}

} // namespace ringside::cli
