// SPDX-License-Identifier: MIT
// The one thread that writes the store. Work is queued; what arrives from sites is stored in one transaction per drain.
#pragma once

#include "core/conductor/sink.h"
#include "core/store/database.h"
#include "core/store/ingest.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <set>
#include <thread>

namespace ringside {

/// Data that arrived and is not stored yet may use this much memory; then `post` waits, and so the site's relay does.
inline constexpr std::size_t kMaxQueuedBytes = 64u << 20;

class StoreThread
{
public:
    /// A job has the writable connection to itself and must not throw.
    using Job = std::function<void(store::Database&)>;

    /// Starts the thread. `sink` must outlive it.
    static Result<std::unique_ptr<StoreThread>> open(const fs::path& path, Sink& sink);
    /// Stores what is queued (not on a disk that refuses it) and joins the thread.
    ~StoreThread();

    /// Queues arrivals. Waits while the queue is full, until `stop` at the latest: what follows, as the stage of their
    /// campaign, may be stored only behind them.
    void post(std::vector<store::Arrival> arrivals, std::stop_token stop);
    /// Queues a job behind what was queued before. Does not wait.
    void post(Job job);

    /// From now on what the disk refuses is not tried again: the site retains it. Call before ending the threads that
    /// post.
    void giveUp();

    /// Runs `work` (Database& -> Result<T>) on the thread, behind what was queued before, and waits for it.
    /// Never call it on the thread itself.
    template <class Work> auto call(Work work) -> std::invoke_result_t<Work, store::Database&>;

    /// Called by a job: passes the rows of these runs to the sink.
    void announce(const std::vector<RunId>& runs);
    /// Called by a job: more of these experiments changed than the rows that the sink received show.
    void announceExperiments(const std::vector<std::string>& names);

private:
    using Item = std::variant<Job, std::vector<store::Arrival>>;

    StoreThread(store::Database db, store::Ingest ingest, Sink& sink);
    void run(std::stop_token stop);
    bool waitForWork(std::stop_token stop, std::deque<Item>& items);
    void process(std::deque<Item>& items, std::stop_token stop);
    void store(std::vector<store::Arrival>& arrivals, std::stop_token stop);
    Result<void> storeTogether(const std::vector<store::Arrival>& arrivals, const std::stop_token& stop);
    void notifySink(const std::vector<store::Arrival>& arrivals);
    void refresh();
    bool isIdle();
    void drop();
    void refuse(const Error& error);
    void accept();

    store::Database m_db;
    store::Ingest m_ingest;
    Sink& m_sink;
    std::set<RunId> m_progressed; ///< have new samples that were not reported to the sink as rows yet
    std::int64_t m_toldNs = 0;
    std::atomic<bool> m_givenUp = false;
    bool m_refused = false;    ///< what was to be stored last could not be
    bool m_unreadable = false; ///< rows of runs could not be read last
    bool m_hasDropped = false; ///< stopped trying, with something that could not be stored

    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<Item> m_items;
    std::size_t m_queuedBytes = 0;
    std::jthread m_thread; ///< last: ends before what it uses
};

template <class Work> auto StoreThread::call(Work work) -> std::invoke_result_t<Work, store::Database&>
{
    using Answer = std::invoke_result_t<Work, store::Database&>;
    auto promise = std::make_shared<std::promise<Answer>>();
    auto answer = promise->get_future();
    post([promise, work = std::move(work)](store::Database& db) { promise->set_value(work(db)); });
    return answer.get();
}

} // namespace ringside
