// SPDX-License-Identifier: MIT
#include "agent/relay/filepoller.h"

namespace ringside::relay {

namespace {

/// Sends a piece of what is new; true if nothing is left of it.
Result<bool> look(FileFollower& file, PollBudget& budget)
{
    --budget.looksLeft;
    const auto chunk = file.next();
    if (!chunk)
        return true;
    budget.news = true;
    TRY(budget.output.add(*chunk));
    return file.drained() || file.finished();
}

} // namespace

void FilePoller::begin()
{
    m_next = {};
    m_isBehind = false;
}

void FilePoller::add(const AttemptKey& attempt, AttemptFiles files)
{
    m_attempts.try_emplace(attempt, std::move(files));
    begin();
}

void FilePoller::close(const AttemptKey& attempt)
{
    if (const auto found = m_attempts.find(attempt); found != m_attempts.end())
        for (FileFollower& file : found->second)
            file.close();
}

void FilePoller::leaveOutKnownLogs(const AttemptKey& attempt)
{
    if (const auto found = m_attempts.find(attempt); found != m_attempts.end())
        std::erase_if(found->second, [](const FileFollower& file) { return file.isKnownLog(); });
    begin();
}

void FilePoller::hand(const AttemptKey& attempt, FilePoller& other)
{
    if (auto found = m_attempts.extract(attempt)) {
        other.m_attempts.insert(std::move(found));
        other.begin();
    }
}

Result<bool> FilePoller::goOn(PollBudget& budget)
{
    do {
        TRY_ASSIGN(const bool isOver, lookAtEach(budget));
        if (!isOver)
            return false;
    } while (std::exchange(m_isBehind, false));
    return true;
}

/// From where the last call stopped; false if the budget was spent before the last file.
Result<bool> FilePoller::lookAtEach(PollBudget& budget)
{
    const auto [began, skipped] = std::exchange(m_next, {});
    for (auto attempt = m_attempts.lower_bound(began); attempt != m_attempts.end(); ++attempt) {
        auto& [key, files] = *attempt;
        for (std::size_t i = key == began ? skipped : 0; i < files.size(); ++i) {
            if (files[i].finished())
                continue;
            if (!budget.mayLook()) {
                m_next = {key, i};
                return false;
            }
            TRY_ASSIGN(const bool seen, look(files[i], budget));
            m_isBehind = m_isBehind || !seen;
        }
    }
    return true;
}

} // namespace ringside::relay
