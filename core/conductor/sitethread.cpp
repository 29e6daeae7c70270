// SPDX-License-Identifier: MIT
#include "core/conductor/sitethread.h"

namespace ringside {

using namespace std::chrono_literals;

namespace {
/// How long the thread sleeps when nothing comes: what is due by the clock is looked at this often.
constexpr auto kTurn = 250ms;
} // namespace

SiteThread::SiteThread(std::string name, std::unique_ptr<Host> host, CommandLine relay, StoreThread& store, Sink& sink)
    : m_link(std::move(name), std::move(host), std::move(relay), sink)
    , m_store(store)
    , m_sink(sink)
    , m_thread([this](std::stop_token stop) { run(stop); })
{
}

SiteThread::~SiteThread()
{
    stop();
}

void SiteThread::stop()
{
    m_thread.request_stop();
    m_link.wake();
    if (m_thread.joinable())
        m_thread.join();
}

void SiteThread::post(Task task)
{
    add({std::move(task), false});
}
void SiteThread::postWithContact(Task task)
{
    add({std::move(task), true});
}

void SiteThread::add(Item item)
{
    {
        const std::lock_guard lock(m_mutex);
        m_tasks.push_back(std::move(item));
    }
    m_changed.notify_all();
    m_link.wake();
}

void SiteThread::run(std::stop_token stop)
{
    m_driver = std::make_unique<CampaignDriver>(m_link, m_store, m_sink, stop);
    while (!stop.stop_requested()) {
        runTasks();
        m_driver->tick();
        keepContact();
        if (m_link.isConnected())
            exchange();
        else
            waitForTasks(stop);
    }
}

void SiteThread::runTasks()
{
    std::deque<Item> tasks;
    {
        const std::lock_guard lock(m_mutex);
        tasks.swap(m_tasks);
    }
    for (Item& item : tasks) {
        if (item.wantsContact && !m_link.isConnected() && m_link.connect())
            m_driver->onConnected();
        item.task(*m_driver);
    }
}

void SiteThread::keepContact()
{
    if (m_link.isConnected() || !m_driver->needsContact() || !m_link.mayTry())
        return;
    if (const auto connected = m_link.connect())
        m_driver->onConnected();
    else
        m_driver->onDisconnected(connected.error());
}

void SiteThread::exchange()
{
    auto message = m_link.receive(kTurn);
    if (!message) {
        const Error lost = m_driver->withOutlook(message.error());
        m_link.drop(lost);
        m_driver->onDisconnected(lost);
    } else if (*message) {
        m_driver->handle(**message);
    }
}

void SiteThread::waitForTasks(std::stop_token stop)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, stop, kTurn, [this] { return !m_tasks.empty(); });
}

} // namespace ringside
