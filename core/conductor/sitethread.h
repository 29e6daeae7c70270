// SPDX-License-Identifier: MIT
// The thread of one site: takes commands, keeps the line to the site while it is needed, passes messages on.
#pragma once

#include "core/conductor/campaigndriver.h"

#include <deque>
#include <functional>
#include <thread>

namespace ringside {

class SiteThread
{
public:
    /// Done on the thread, where the driver lives. Must not throw.
    using Task = std::function<void(CampaignDriver&)>;

    /// Starts the thread. `store` and `sink` must outlive it.
    SiteThread(std::string name, std::unique_ptr<Host> host, CommandLine relay, StoreThread& store, Sink& sink);
    ~SiteThread();

    /// Joins the thread: at most the wait of a connection that is being made. Campaigns go on by themselves. What is
    /// posted afterwards is not done. The object has to stay until the store's thread has ended.
    void stop();

    /// From any thread; does not wait.
    void post(Task task);
    /// Like `post`, but brings up the line first. If that fails the task is done nevertheless, and finds no contact.
    void postWithContact(Task task);

private:
    struct Item
    {
        Task task;
        bool wantsContact = false;
    };
    void add(Item item);
    void run(std::stop_token stop);
    void runTasks();
    void keepContact();
    void exchange();
    void waitForTasks(std::stop_token stop);

    SiteLink m_link;
    StoreThread& m_store;
    Sink& m_sink;
    std::unique_ptr<CampaignDriver> m_driver; ///< made and used on the thread
    std::mutex m_mutex;                       ///< of the tasks
    std::condition_variable_any m_changed;
    std::deque<Item> m_tasks;
    std::jthread m_thread; ///< last: ends before what it uses
};

} // namespace ringside
