// SPDX-License-Identifier: MIT
#include "core/conductor/sitethread.h"

#include "core/base/clock.h"
#include "core/base/words.h"

#include <utility>

namespace ringside {

using namespace std::chrono_literals;

namespace {
/// Time that the thread sleeps when nothing comes: what is due by the clock is looked at this often.
constexpr auto kTurn = 250ms;
constexpr std::int64_t kKeepAliveNs = 1'000'000'000;
} // namespace

SiteThread::SiteThread(std::string name, std::unique_ptr<SiteAccess> access, StoreThread& store, Sink& sink)
    : m_access(std::move(access))
    , m_link(std::move(name), *m_access, sink)
    , m_preparation(m_link, dynamic_cast<RemoteAccess*>(m_access.get()),
                    [&sink](const SiteStep& step) { sink.siteStepped(step); })
    , m_inventory(m_link)
    , m_store(store)
    , m_sink(sink)
    , m_thread([this](std::stop_token stop) { run(stop); })
{
}

SiteThread::~SiteThread()
{
    stop();
}

void SiteThread::requestStop()
{
    m_thread.request_stop();
    m_link.wake();
}

void SiteThread::stop()
{
    requestStop();
    if (m_thread.joinable())
        m_thread.join();
}

void SiteThread::post(Task task)
{
    add({std::move(task), std::nullopt, std::nullopt});
}

void SiteThread::postWithContact(Task task, Presence presence)
{
    add({std::move(task), presence, std::nullopt});
}

void SiteThread::prepare(Completion<ReadySite> then, SitePreparation::Scope scope)
{
    const auto start = [this, then = std::move(then), scope](CampaignDriver&) { m_preparation.start(then, scope); };
    Item item{start, Presence::interactive, std::nullopt};
    if (scope != SitePreparation::Scope::launch) {
        const std::lock_guard lock(m_mutex);
        item.testStop = m_testStop.get_token();
    }
    add(std::move(item));
}

void SiteThread::stopTests()
{
    {
        const std::lock_guard lock(m_mutex);
        std::exchange(m_testStop, std::stop_source()).request_stop(); // a test that is asked for next is not meant
    }
    post([this](CampaignDriver&) { m_preparation.stopTests(); });
}

void SiteThread::listInstalled(Completion<std::vector<wire::InstalledItem>> done)
{
    const auto list = [this, done = std::move(done)](CampaignDriver&) { m_inventory.list(done); };
    postWithContact(list, Presence::interactive);
}

void SiteThread::removeInstalled(wire::DeleteRequest request, Completion<wire::DeleteReply> done)
{
    const auto remove = [this, request = std::move(request), done = std::move(done)](CampaignDriver&) {
        m_inventory.remove(request, done);
    };
    postWithContact(remove, Presence::interactive);
}

void SiteThread::listEngines(Completion<InstalledEngines> done)
{
    const auto list = [this, done = std::move(done)](CampaignDriver&) { m_inventory.listEngines(done); };
    postWithContact(list, Presence::interactive);
}

void SiteThread::askEngine(wire::EngineRequest request, OnEngineProgress progress, Completion<InstalledEngine> done)
{
    const auto ask = [this, request = std::move(request), progress = std::move(progress),
                      done = std::move(done)](CampaignDriver&) { m_inventory.ask(request, progress, done); };
    postWithContact(ask, Presence::interactive);
}

void SiteThread::disconnect(Completion<> done)
{
    post([this, done = std::move(done)](CampaignDriver&) {
        hangUp();
        done({});
    });
}

void SiteThread::startAnew()
{
    post([this](CampaignDriver&) {
        if (!m_link.isConnected())
            return;
        const Error why{ErrorCode::cancelled, Words::tr("{} was cleaned up.", m_link.name()),
                        Words::tr("It reconnects when needed.")};
        m_link.drop(why);
        lose(why);
    });
}

void SiteThread::hangUp()
{
    const bool wasConnected = m_link.isConnected();
    m_link.hangUp();
    if (wasConnected)
        lose(m_link.lastError());
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
    m_driver->resume(); // before any task: commands are about what is watched
    while (!stop.stop_requested()) {
        runTasks(stop);
        m_driver->tick();
        m_preparation.tick();
        m_inventory.tick();
        keepContact(stop);
        keepAlive();
        if (m_link.isConnected())
            exchange();
        else
            waitForTasks(stop);
    }
}

void SiteThread::runTasks(std::stop_token stop)
{
    std::deque<Item> tasks;
    {
        const std::lock_guard lock(m_mutex);
        tasks.swap(m_tasks);
    }
    for (Item& item : tasks) {
        if (item.contact == Presence::interactive && m_link.isConnected() && m_access->isOutdated())
            hangUp(); // what was described anew holds from now on
        const auto contact = bringUp(item, stop);
        item.task(*m_driver); // it finds out whether there is contact
        if (!contact && !item.testStop)
            lose(contact.error()); // after a refused sign-in nothing else answers what the task has begun
    }
}

Result<void> SiteThread::bringUp(const Item& item, const std::stop_token& stop)
{
    if (!item.contact || m_link.isConnected())
        return {};
    return item.testStop ? connectForTest(stop, *item.testStop) : connect(*item.contact, stop);
}

Result<void> SiteThread::connect(Presence presence, std::stop_token stop)
{
    TRY(m_link.connect(presence, std::move(stop)));
    m_preparation.onConnected();
    m_driver->onConnected();
    return {};
}

Result<void> SiteThread::connectForTest(const std::stop_token& stop, const std::stop_token& testStop)
{
    std::stop_source either;
    const std::function<void()> end = [either]() mutable { either.request_stop(); };
    m_endOfTested.emplace(stop, end);
    const std::stop_callback onTestStop(testStop, end);
    return connect(Presence::interactive, either.get_token());
}

/// A relay of this computer that was lost comes back although nothing runs; a site elsewhere is left in peace.
bool SiteThread::wantsContact() const
{
    return m_driver->needsContact() || (m_access->isHere() && m_link.lostAt() != 0);
}

void SiteThread::keepContact(std::stop_token stop)
{
    if (m_link.isConnected() || !wantsContact() || !m_link.mayTry())
        return;
    if (const auto connected = connect(Presence::unattended, std::move(stop)); !connected)
        lose(connected.error());
}

void SiteThread::keepAlive()
{
    if (monotonicNs() - m_keptAliveNs < kKeepAliveNs)
        return;
    m_keptAliveNs = monotonicNs();
    m_access->tick();
}

void SiteThread::exchange()
{
    auto message = m_link.receive(kTurn);
    if (!message) {
        const Error lost = m_driver->withOutlook(message.error());
        m_link.drop(lost);
        lose(lost);
    } else if (*message && !m_preparation.handle(**message) && !m_inventory.handle(**message)) {
        m_driver->handle(**message);
    }
}

void SiteThread::lose(const Error& error)
{
    m_preparation.onDisconnected(error);
    m_inventory.onDisconnected(error);
    m_driver->onDisconnected(error);
}

void SiteThread::waitForTasks(std::stop_token stop)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, stop, kTurn, [this] { return !m_tasks.empty(); });
}

} // namespace ringside
