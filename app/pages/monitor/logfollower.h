// SPDX-License-Identifier: GPL-3.0-or-later
// Has the log of the run that is shown brought here, and says why where there is none. GUI thread.
#pragma once

#include "app/session/session.h"
#include "core/store/rows.h"

namespace ringside {

class LogCard;

class LogFollower : public QObject
{
    Q_OBJECT
public:
    LogFollower(Session& session, LogCard& card);

    /// From its beginning, if there is a conductor to ask; run ids that are empty stand for none.
    void follow(const store::RunRow& run);
    /// A later state of the same run.
    void update(const store::RunRow& run);

private:
    void explain();

    Session& m_session;
    LogCard& m_card;
    store::RunRow m_run;
    std::optional<Result<void>> m_sent; ///< all there is of the log, or why not; empty: not yet
};

} // namespace ringside
