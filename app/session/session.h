// SPDX-License-Identifier: GPL-3.0-or-later
// The window's tie to core: owns the conductor and the queries of one database. GUI thread; nothing here waits, except
// the destructor, which joins the conductor's threads.
#pragma once

#include "app/session/experimentlist.h"
#include "app/session/programlog.h"
#include "app/session/qtsink.h"
#include "app/session/questions.h"
#include "app/session/sinkgate.h"
#include "app/session/sitestates.h"
#include "app/session/storequeries.h"
#include "app/session/taskthread.h"

#include "core/conductor/conductor.h"

#include <QCoreApplication>
#include <QPointer>
#include <QTimer>
#include <functional>

namespace ringside {

/// The result of Session::request(): a call of this function of the conductor with these arguments.
template <class Function, class... Arguments> auto calling(Function function, Arguments... arguments)
{
    return [=](Conductor& conductor, auto done) { (conductor.*function)(arguments..., std::move(done)); };
}

/// Programs of this build that the conductor starts.
struct Programs
{
    fs::path agent, worker;
    /// Beside the running program.
    static Programs beside(const fs::path& folder);
};

class Session : public QObject
{
    Q_OBJECT
public:
    enum class Access
    {
        none,
        opening,
        writing,
        reading
    };

    explicit Session(Programs programs);
    ~Session() override;

    /// Opens `store` for writing, or, while that is not possible, for reading; accessChanged follows, at once with
    /// Access::opening: from then on there are no signals and no answers about an earlier database. Once nothing
    /// prevents writing it is written within two seconds; accessChanged follows again, and whenever something else
    /// prevents it.
    void open(const fs::path& store);

    Access access() const { return m_access; }
    const fs::path& store() const { return m_store; }
    const Programs& programs() const { return m_programs; }
    /// Returns why access() is none or reading.
    const Error& obstacle() const { return m_obstacle; }

    QtSink& live() { return m_sink; }
    SiteStates& sites() { return m_sites; }
    StoreQueries& queries() { return m_queries; }
    ExperimentList& experiments() { return m_experiments; }
    /// Questions of connections: a person has to answer.
    Questions& questions() { return m_questions; }
    /// For what connects to sites by itself, as the check of a system does: it may take minutes and ask a person, so no
    /// window may wait for its end. The session does, once it refuses all questions.
    TaskThread& checks() { return m_checks; }
    /// Reports of the conductor about sites, problems and refused commands, and changes of access().
    ProgramLog& log() { return m_log; }

    /// Makes a request: `make(Conductor&, Completion<T>)`, see calling(). `done(Result<T>)` is called in the GUI
    /// thread, after what was observed before, unless `owner` is gone by then; without write access at once, with the
    /// reason.
    template <class T = void, class Make>
    void request(QObject* owner, const Make& make, std::type_identity_t<Completion<T>> done = {});

Q_SIGNALS:
    void accessChanged();
    /// Another program may write: what it has written since is to be read anew. Every few seconds.
    void readAgain();

private:
    void keepLog();
    void logAccess();
    ConductorOptions optionsFor(const fs::path& store);
    void tryToWrite();
    void goOnReading(const Error& why);
    void opened(const std::shared_ptr<SinkGate>& gate, std::shared_ptr<Conductor> conductor,
                const Result<void>& result);
    void endAside(std::shared_ptr<Conductor> conductor);
    void setAccess(Access access, Error obstacle = {});
    void logRefusal(const Error& error);

    Programs m_programs;
    ProgramLog m_log;
    fs::path m_store;
    Access m_access = Access::none;
    Error m_obstacle;
    /// Requests that are not completed: called for one that never will be.
    std::map<int, std::function<void(const Error&)>> m_open;
    int m_lastRequest = 0;
    QTimer m_nextTry; ///< to write what is only read
    unsigned m_tries = 0;
    QtSink m_sink;
    SiteStates m_sites{m_sink};
    Questions m_questions;
    StoreQueries m_queries;
    ExperimentList m_experiments{*this};
    std::shared_ptr<SinkGate> m_gate;       ///< of the conductor of m_store
    std::shared_ptr<Conductor> m_conductor; // after the sink: it must be gone first
    /// Conductors that the opener has opened and that were not adopted: they refer to members above.
    struct Undelivered
    {
        QObject* session;
        ~Undelivered();
    } m_undelivered{this};
    TaskThread m_checks;
    TaskThread m_opener; // last, with the one before: they call back
};

template <class T, class Make>
void Session::request(QObject* owner, const Make& make, std::type_identity_t<Completion<T>> done)
{
    const auto complete = [owner = QPointer<QObject>(owner), done = std::move(done)](Result<T> value) {
        if (owner && done)
            done(std::move(value));
    };
    if (!m_conductor)
        return complete(tl::unexpected(m_obstacle));
    const int id = ++m_lastRequest;
    m_open[id] = [complete](const Error& error) {
        const Result<T> abandoned = tl::unexpected(error);
        complete(abandoned);
    };
    const auto deliver = [this, id, complete](Result<T> value) {
        if (!value)
            logRefusal(value.error());
        if (m_open.erase(id) > 0)
            complete(std::move(value));
    };
    make(*m_conductor, Completion<T>([this, gate = m_gate, deliver](Result<T> value) {
        gate->pass([&] { m_sink.deliver([deliver, value = std::move(value)] { deliver(value); }); });
    }));
}

/// As the log and reports write it, in English: "reading", "without contact".
std::string_view nameOf(Session::Access access);
std::string_view nameOf(SiteStatus::Contact contact);

} // namespace ringside
