// SPDX-License-Identifier: MIT
// Asks schedulers about the jobs of this account's campaigns. One question for all of them, seldom: the scheduler of a
// cluster serves thousands of people.
#pragma once

#include "agent/relay/commands.h"
#include "core/jobs/schedulers/table.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ringside::relay {

/// The queue of one scheduler.
class Queue
{
public:
    Queue(Commands& commands, const jobs::Scheduler& scheduler)
        : m_commands(commands)
        , m_scheduler(scheduler)
    {
    }

    /// Calls `done` when the answer is fresh: at once, or after a new query. `jobs` are the ids in question; those that
    /// the queue has forgotten are looked up in the accounting, once. An answer to a query made before an id was named
    /// here says nothing about it: the job may be younger.
    void ask(const std::set<std::string>& jobs, std::int64_t nowNs, std::function<void()> done);
    /// Something is being done to a job: news is to be expected.
    void expectChange(std::int64_t nowNs);
    /// It was done: what was asked before says nothing about it.
    void forgetAnswer();

    /// The campaign's job: the one that lives, else the one of this id. nullopt if neither is known, or if it was not
    /// over when the scheduler, which does not answer now, last spoke of it.
    std::optional<jobs::JobReport> find(const CampaignId& campaign, const std::string& job) const;
    /// Returns why the scheduler's last answer is none; empty if it is one.
    const std::string& trouble() const { return m_trouble; }
    /// Its last answer is one: a job that is not found is not there.
    bool isAnswering() const { return m_hasAnswered && m_trouble.empty(); }
    /// Wall clock of its last answer; 0 before the first.
    std::int64_t answeredAtNs() const { return m_answeredAtNs; }

    static constexpr std::chrono::nanoseconds kMinPause = std::chrono::seconds(3);
    static constexpr std::chrono::nanoseconds kMaxPause = std::chrono::seconds(30);

private:
    void askQueue();
    void askAccounting();
    void take(std::vector<jobs::JobReport> reports);
    void finish();

    Commands& m_commands;
    const jobs::Scheduler& m_scheduler;
    std::vector<jobs::JobReport> m_reports;
    std::map<std::string, jobs::JobReport> m_accounted; ///< by id; what is over does not change
    std::set<std::string> m_wanted;                     ///< ids
    std::vector<std::function<void()>> m_waiting;
    std::string m_trouble;
    bool m_hasAnswered = false;
    std::int64_t m_answeredAtNs = 0;
    bool m_isAsking = false;
    bool m_again = false; ///< the question under way is older than an id that is wanted
    std::int64_t m_freshUntilNs = INT64_MIN;
    std::chrono::nanoseconds m_pause = kMinPause;
};

/// The queues of all schedulers, each asked only where a campaign went through it.
class Queues
{
public:
    using Jobs = std::map<const jobs::Scheduler*, std::set<std::string>>;

    explicit Queues(Commands& commands);

    const Queue& of(const jobs::Scheduler& scheduler) const { return m_queues.at(&scheduler); }
    /// Calls `done` when the answers about all these are fresh.
    void ask(const Jobs& jobs, std::int64_t nowNs, std::function<void()> done);
    void expectChange(std::int64_t nowNs);
    void forgetAnswers();

private:
    std::map<const jobs::Scheduler*, Queue> m_queues;
};

} // namespace ringside::relay
