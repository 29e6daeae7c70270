// SPDX-License-Identifier: MIT
// The thread of one site: runs commands, holds the line to the site while it is needed, passes messages on.
#pragma once

#include "core/conductor/campaigndriver.h"
#include "core/conductor/siteinventory.h"
#include "core/conductor/sitepreparation.h"

#include <deque>
#include <functional>
#include <thread>

namespace ringside {

class SiteThread
{
public:
    /// Done on the thread, where the driver lives. Must not throw.
    using Task = std::function<void(CampaignDriver&)>;

    /// Starts the thread, which goes on with what is unfinished at the site. `store` and `sink` must outlive it.
    SiteThread(std::string name, std::unique_ptr<SiteAccess> access, StoreThread& store, Sink& sink);
    ~SiteThread();

    /// Abandons what is in flight. Does not wait.
    void requestStop();
    /// The same, and joins the thread: well within a second, with a connection that is being made or answers no more,
    /// too. Campaigns go on by themselves. Commands that are posted afterwards are not done. The object has to stay
    /// until the store's thread has ended.
    void stop();

    /// From any thread; does not wait.
    void post(Task task);
    /// Like `post`, but brings up the line first. If that fails the task is done nevertheless, and finds no contact.
    void postWithContact(Task task, Presence presence);
    /// Brings up the line, asking a person where need be, and gets the site ready.
    void prepare(Completion<ReadySite> then, SitePreparation::Scope scope = SitePreparation::Scope::launch);
    /// Ends the tests that were asked for: a connection that is being made for one, too.
    void stopTests();
    /// The same for what Ringside has put there.
    void listInstalled(Completion<std::vector<wire::InstalledItem>> listed);
    void removeInstalled(wire::DeleteRequest request, Completion<wire::DeleteReply> removed);
    void listEngines(Completion<InstalledEngines> listed);
    void askEngine(wire::EngineRequest request, OnEngineProgress progress, Completion<InstalledEngine> done);
    /// Ends the relay, which may be of an agent that is no longer there; with the next need one is brought.
    void startAnew();
    /// Ends the line until a person needs it again; what is asked of the site fails.
    void disconnect(Completion<> done);

private:
    struct Item
    {
        Task task;
        std::optional<Presence> contact;         ///< brought up first, for whom
        std::optional<std::stop_token> testStop; ///< ends the connection that a test makes
    };
    void add(Item item);
    void run(std::stop_token stop);
    void runTasks(std::stop_token stop);
    /// The contact that a task needs.
    Result<void> bringUp(const Item& item, const std::stop_token& stop);
    Result<void> connect(Presence presence, std::stop_token stop);
    Result<void> connectForTest(const std::stop_token& stop, const std::stop_token& testStop);
    bool wantsContact() const;
    void keepContact(std::stop_token stop);
    void keepAlive();
    void lose(const Error& error);
    void hangUp();
    void exchange();
    void waitForTasks(std::stop_token stop);

    std::unique_ptr<SiteAccess> m_access;
    SiteLink m_link;
    SitePreparation m_preparation;
    SiteInventory m_inventory;
    StoreThread& m_store;
    Sink& m_sink;
    std::unique_ptr<CampaignDriver> m_driver;                               ///< made and used on the thread
    std::optional<std::stop_callback<std::function<void()>>> m_endOfTested; ///< ends a line that a test made with us
    std::int64_t m_keptAliveNs = 0;
    std::mutex m_mutex; ///< of the tasks, and of m_testStop
    std::condition_variable_any m_changed;
    std::deque<Item> m_tasks;
    std::stop_source m_testStop; ///< of the tests asked for since the last stop
    std::jthread m_thread;       ///< last: ends before what it uses
};

} // namespace ringside
