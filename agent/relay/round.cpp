// SPDX-License-Identifier: MIT
#include "agent/relay/round.h"

namespace ringside::relay {

namespace {

/// Sends a piece of what is new; true if nothing is left of it.
Result<bool> look(FileFollower& file, Turn& turn)
{
    --turn.looksLeft;
    const auto chunk = file.next();
    if (!chunk)
        return true;
    turn.news = true;
    TRY(turn.output.add(*chunk));
    return file.drained() || file.finished();
}

} // namespace

void Round::begin()
{
    m_next = {};
    m_isBehind = false;
}

void Round::add(const AttemptKey& attempt, AttemptFiles files)
{
    m_attempts.try_emplace(attempt, std::move(files));
    begin();
}

void Round::close(const AttemptKey& attempt)
{
    if (const auto found = m_attempts.find(attempt); found != m_attempts.end())
        for (FileFollower& file : found->second)
            file.close();
}

void Round::hand(const AttemptKey& attempt, Round& other)
{
    if (auto found = m_attempts.extract(attempt)) {
        other.m_attempts.insert(std::move(found));
        other.begin();
    }
}

Result<bool> Round::goOn(Turn& turn)
{
    do {
        TRY_ASSIGN(const bool isOver, lookAtEach(turn));
        if (!isOver)
            return false;
    } while (std::exchange(m_isBehind, false));
    return true;
}

/// From where the last call stopped; false if the turn was over before the last file.
Result<bool> Round::lookAtEach(Turn& turn)
{
    const auto [began, skipped] = std::exchange(m_next, {});
    for (auto attempt = m_attempts.lower_bound(began); attempt != m_attempts.end(); ++attempt) {
        auto& [key, files] = *attempt;
        for (std::size_t i = key == began ? skipped : 0; i < files.size(); ++i) {
            if (files[i].finished())
                continue;
            if (!turn.mayLook()) {
                m_next = {key, i};
                return false;
            }
            TRY_ASSIGN(const bool seen, look(files[i], turn));
            m_isBehind = m_isBehind || !seen;
        }
    }
    return true;
}

} // namespace ringside::relay
