// SPDX-License-Identifier: GPL-3.0-or-later
// Of several asynchronous questions of one asker only the newest may answer, and none once the asker is gone.
// The asker owns a tracker and uses it in its own thread; answers come back to that thread.
#pragma once

#include <stop_token>

namespace ringside {

class JobTracker
{
public:
    JobTracker() = default;
    JobTracker(const JobTracker&) = delete;
    JobTracker& operator=(const JobTracker&) = delete;
    ~JobTracker() { cancel(); }

    /// Supersedes the question before. Work looks at the token now and then; an answer whose token is stopped is
    /// dropped.
    std::stop_token begin()
    {
        cancel();
        m_source = std::stop_source();
        return m_source.get_token();
    }

    void cancel() { m_source.request_stop(); }

private:
    std::stop_source m_source;
};

} // namespace ringside
