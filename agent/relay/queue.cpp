// SPDX-License-Identifier: MIT
#include "agent/relay/queue.h"

#include "core/base/clock.h"

#include <algorithm>
#include <memory>
#include <unistd.h>

namespace ringside::relay {

namespace {

/// A controller under load takes its time; a scheduler's own program may give up after some ten seconds a try.
constexpr std::chrono::milliseconds kAskLimit{30'000};
/// In one question; the rest comes with the next.
constexpr std::size_t kMaxAccounted = 200;

/// Drops guesses: the time when a scheduler expects a job to start changes with other users' jobs.
std::vector<jobs::JobReport> withoutGuesses(std::vector<jobs::JobReport> reports)
{
    for (auto& report : reports)
        report.expectedStart.reset();
    return reports;
}

} // namespace

void Queue::ask(const std::set<std::string>& jobs, std::int64_t nowNs, std::function<void()> done)
{
    const std::size_t known = m_wanted.size();
    m_wanted.insert(jobs.begin(), jobs.end());
    const bool isNew = m_wanted.size() > known;
    if (!m_isAsking && !isNew && nowNs < m_freshUntilNs)
        return done();
    m_waiting.push_back(std::move(done));
    if (m_isAsking)
        m_again = m_again || isNew;
    else
        askQueue();
}

void Queue::expectChange(std::int64_t nowNs)
{
    m_pause = kMinPause;
    m_freshUntilNs = std::min(m_freshUntilNs, nowNs + m_pause.count());
}

void Queue::forgetAnswer()
{
    m_freshUntilNs = INT64_MIN;
    m_again = m_isAsking;
}

void Queue::askQueue()
{
    m_isAsking = true;
    m_again = false;
    m_commands.start(m_scheduler.queueCommand(::geteuid()), {kAskLimit}, [this](Result<std::string> answer) {
        m_trouble = answer ? "" : answer.error().text();
        if (answer)
            take(m_scheduler.parseQueue(*answer));
        else
            m_pause = std::min<std::chrono::nanoseconds>(m_pause * 2, kMaxPause);
        askAccounting();
    });
}

/// News is followed by news; where nothing changes, it is asked less and less often.
void Queue::take(std::vector<jobs::JobReport> reports)
{
    for (auto& report : reports)
        report.secondsLeft.reset(); // would change with every answer
    m_pause = m_hasAnswered && withoutGuesses(reports) == withoutGuesses(m_reports)
                  ? std::min<std::chrono::nanoseconds>(m_pause * 2, kMaxPause)
                  : kMinPause;
    m_reports = std::move(reports);
    m_hasAnswered = true;
    m_answeredAtNs = wallNs();
}

void Queue::askAccounting()
{
    std::vector<std::string> forgotten;
    for (const auto& job : m_wanted)
        if (m_trouble.empty() && !m_again && forgotten.size() < kMaxAccounted && !m_accounted.contains(job) &&
            !find({}, job))
            forgotten.push_back(job);
    if (forgotten.empty())
        return finish();
    m_commands.start(m_scheduler.accountingCommand(forgotten), {kAskLimit},
                     [this, forgotten](Result<std::string> answer) {
                         for (const auto& job : forgotten)
                             m_accounted[job] = {job, JobState::unknown, {}, {}, {}, {}}; // as long as this relay lives
                         for (const auto& report : m_scheduler.parseAccounting(answer.value_or("")))
                             if (isOver(report.state))
                                 m_accounted[report.id] = report;
                         finish();
                     });
}

void Queue::finish()
{
    if (m_again)
        return askQueue();
    m_isAsking = false;
    m_freshUntilNs = monotonicNs() + m_pause.count();
    for (const auto& done : std::exchange(m_waiting, {}))
        done();
}

std::optional<jobs::JobReport> Queue::find(const CampaignId& campaign, const std::string& job) const
{
    if (const jobs::JobReport* found = jobs::jobOf(m_reports, campaign, job))
        return m_trouble.empty() || isOver(found->state) ? std::optional(*found) : std::nullopt;
    const auto accounted = m_accounted.find(job);
    return accounted == m_accounted.end() ? std::nullopt : std::optional(accounted->second);
}

Queues::Queues(Commands& commands)
{
    for (const jobs::Scheduler* scheduler : jobs::schedulers())
        m_queues.try_emplace(scheduler, commands, *scheduler);
}

void Queues::ask(const Jobs& jobs, std::int64_t nowNs, std::function<void()> done)
{
    const auto left = std::make_shared<std::size_t>(jobs.size());
    for (const auto& [scheduler, ids] : jobs)
        m_queues.at(scheduler).ask(ids, nowNs, [left, done] {
            if (--*left == 0)
                done();
        });
}

void Queues::expectChange(std::int64_t nowNs)
{
    for (auto& [scheduler, queue] : m_queues)
        queue.expectChange(nowNs);
}

void Queues::forgetAnswers()
{
    for (auto& [scheduler, queue] : m_queues)
        queue.forgetAnswer();
}

} // namespace ringside::relay
