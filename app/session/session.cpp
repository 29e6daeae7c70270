// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session.h"

#include "app/text/text.h"

namespace ringside {

namespace {

constexpr std::chrono::milliseconds kTryAgain{1'500};
constexpr unsigned kTriesPerReading = 3;
constexpr std::string_view kAccessNames[] = {"closed", "opening", "writing", "reading"};
static_assert(std::size(kAccessNames) == std::size_t(Session::Access::reading) + 1);
constexpr std::string_view kContactNames[] = {"not asked yet",   "connecting",          "connected",
                                              "without contact", "waits for an answer", "refused for its host key"};
static_assert(std::size(kContactNames) == std::size_t(SiteStatus::Contact::refused) + 1);

/// The conductor, which owns its gate until it has ended.
std::shared_ptr<Conductor> saying(std::unique_ptr<Conductor> conductor, std::shared_ptr<SinkGate> gate)
{
    return {conductor.release(), [gate = std::move(gate)](const Conductor* ended) { delete ended; }};
}

} // namespace

Programs Programs::beside(const fs::path& folder)
{
    return {folder / "ringside-agent", folder / "ringside-worker"};
}

Session::Session(Programs programs)
    : m_programs(std::move(programs))
    , m_checks("system checks")
    , m_opener("store-open")
{
    connect(&m_queries, &StoreQueries::opened, this,
            [this] { setAccess(m_conductor ? Access::writing : Access::reading, m_obstacle); });
    connect(&m_queries, &StoreQueries::failed, this, [this](const Error& error) {
        const bool isKnown = !m_obstacle.message.empty() && m_obstacle.code != ErrorCode::busy;
        setAccess(Access::none, isKnown ? m_obstacle : error); // one that cannot be made cannot be read either
    });
    m_nextTry.setSingleShot(true);
    m_nextTry.setInterval(kTryAgain);
    connect(&m_nextTry, &QTimer::timeout, this, &Session::tryToWrite);
    keepLog();
}

void Session::keepLog()
{
    connect(this, &Session::accessChanged, this, &Session::logAccess);
    connect(&m_sink, &QtSink::problemFound, this,
            [this](const Error& error) { m_log.add(QStringLiteral("problem"), toQt(error.text())); });
    connect(&m_sink, &QtSink::sitesUpdated, this, [this](const std::vector<SiteStatus>& sites) {
        for (const SiteStatus& site : sites)
            m_log.add(QStringLiteral("site"),
                      toQt(fmt::format("{} is {}: {}", site.name, nameOf(site.contact), site.text)));
    });
    connect(&m_sink, &QtSink::samplesLeftOut, this, [this](std::size_t count) {
        m_log.add(QStringLiteral("window"), toQt(fmt::format("{} samples were not drawn live", count)));
    });
}

void Session::logRefusal(const Error& error)
{
    m_log.add(QStringLiteral("refused"), toQt(error.text()));
}

void Session::logAccess()
{
    std::string text = fmt::format("{} {}", nameOf(m_access), m_store.string());
    if (!m_obstacle.message.empty())
        text += ": " + m_obstacle.text();
    m_log.add(QStringLiteral("database"), toQt(text));
}

Session::~Session()
{
    m_questions.close(); // or a site's thread would wait for an answer, and we for the thread
    if (m_gate)
        m_gate->close();
}

Session::Undelivered::~Undelivered()
{
    QCoreApplication::removePostedEvents(session, QEvent::MetaCall); // or they lived as long as QObject
}

void Session::open(const fs::path& store)
{
    if (m_gate)
        m_gate->close();
    m_gate = std::make_shared<SinkGate>(m_sink);
    m_sink.forget();
    m_queries.close();
    m_sites.forgetAll();
    setAccess(Access::opening);
    for (const auto& [id, abandon] : std::exchange(m_open, {}))
        abandon({ErrorCode::cancelled, toUtf8(tr("Another database was opened.")), {}});
    m_store = store;
    m_opener.post(
        [this, gate = m_gate, options = optionsFor(store), before = std::exchange(m_conductor, nullptr)]() mutable {
            before.reset();
            auto conductor = Conductor::open(options, *gate);
            const Result<void> result = conductor ? Result<void>() : tl::unexpected(conductor.error());
            std::shared_ptr<Conductor> shared = conductor ? saying(std::move(*conductor), gate) : nullptr;
            auto end = [this, gate, result, shared = std::move(shared)]() mutable {
                opened(gate, std::move(shared), result);
            };
            QMetaObject::invokeMethod(this, std::move(end), Qt::QueuedConnection);
        });
}

/// Its threads are joined where nothing waits for them.
void Session::endAside(std::shared_ptr<Conductor> conductor)
{
    m_opener.post([late = std::move(conductor)]() mutable { late.reset(); });
}

ConductorOptions Session::optionsFor(const fs::path& store)
{
    ConductorOptions options;
    options.store = store;
    options.agent = m_programs.agent;
    options.worker = m_programs.worker;
    options.interaction = &m_questions;
    return options;
}

/// Reading continues meanwhile, whatever the outcome.
void Session::tryToWrite()
{
    m_opener.post([this, gate = m_gate, options = optionsFor(m_store)] {
        auto conductor = Conductor::open(options, *gate);
        const Error why = conductor ? Error() : conductor.error();
        std::shared_ptr<Conductor> shared = conductor ? saying(std::move(*conductor), gate) : nullptr;
        auto end = [this, gate, why, shared = std::move(shared)]() mutable {
            if (m_access != Access::reading || gate != m_gate)
                return endAside(std::move(shared));
            shared ? opened(gate, std::move(shared), {}) : goOnReading(why);
        };
        QMetaObject::invokeMethod(this, std::move(end), Qt::QueuedConnection);
    });
}

void Session::goOnReading(const Error& why)
{
    m_nextTry.start();
    if (why.text() != m_obstacle.text())
        setAccess(Access::reading, why);
    if (++m_tries % kTriesPerReading == 0)
        Q_EMIT readAgain();
}

void Session::opened(const std::shared_ptr<SinkGate>& gate, std::shared_ptr<Conductor> conductor,
                     const Result<void>& result)
{
    if (gate != m_gate)
        return endAside(std::move(conductor));
    m_conductor = std::move(conductor);
    m_obstacle = result ? Error{} : result.error();
    if (m_obstacle.code != ErrorCode::damaged)
        m_queries.open(m_store); // for reading, where it can be read although not written
    else
        setAccess(Access::none, m_obstacle);
}

void Session::setAccess(Access access, Error obstacle)
{
    m_access = access;
    m_obstacle = std::move(obstacle);
    access == Access::reading ? m_nextTry.start() : m_nextTry.stop();
    Q_EMIT accessChanged();
}

std::string_view nameOf(Session::Access access)
{
    return kAccessNames[std::size_t(access)];
}

std::string_view nameOf(SiteStatus::Contact contact)
{
    return kContactNames[std::size_t(contact)];
}

} // namespace ringside
