// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session.h"

namespace ringside {

Programs Programs::beside(const fs::path& folder)
{
    return {folder / "ringside-agent", folder / "ringside-worker"};
}

Session::Session(Programs programs, QObject* parent)
    : QObject(parent)
    , m_programs(std::move(programs))
    , m_opener("store-open")
{
    connect(&m_sink, &QtSink::commandEnded, this, &Session::finish);
    connect(&m_queries, &StoreQueries::opened, this,
            [this] { setAccess(m_conductor ? Access::writing : Access::reading, m_obstacle); });
    connect(&m_queries, &StoreQueries::failed, this, [this](const Error& error) { setAccess(Access::none, error); });
}

Session::~Session() = default;

void Session::open(const fs::path& store)
{
    setAccess(Access::opening);
    m_queries.close();
    m_waiting.clear();
    m_store = store;
    const ConductorOptions options{
        .store = store, .localRoot = {}, .agent = m_programs.agent, .worker = m_programs.worker};
    m_opener.post([this, options, before = std::exchange(m_conductor, nullptr)]() mutable {
        before.reset();
        auto conductor = Conductor::open(options, m_sink);
        const Result<void> result = conductor ? Result<void>() : tl::unexpected(conductor.error());
        std::shared_ptr<Conductor> shared = conductor ? std::move(*conductor) : nullptr;
        QMetaObject::invokeMethod(
            this, [=, this] { opened(options.store, shared, result); }, Qt::QueuedConnection);
    });
}

void Session::opened(const fs::path& store, std::shared_ptr<Conductor> conductor, const Result<void>& result)
{
    if (store != m_store)
        return;
    m_conductor = std::move(conductor);
    m_obstacle = result ? Error{} : result.error();
    if (result || m_obstacle.code == ErrorCode::busy)
        m_queries.open(store);
    else
        setAccess(Access::none, m_obstacle);
}

void Session::setAccess(Access access, Error obstacle)
{
    m_access = access;
    m_obstacle = std::move(obstacle);
    Q_EMIT accessChanged();
}

void Session::run(QObject* owner, const Command& command, const Done& done)
{
    if (m_conductor)
        m_waiting[command(*m_conductor)] = {owner, done};
    else if (done)
        done(tl::unexpected(m_obstacle));
}

void Session::finish(const CommandEnd& end)
{
    const auto entry = m_waiting.extract(end.ticket);
    if (!entry.empty() && entry.mapped().owner && entry.mapped().done)
        entry.mapped().done(end.result);
}

} // namespace ringside
