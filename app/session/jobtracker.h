// SPDX-License-Identifier: GPL-3.0-or-later
// Only the newest of several asynchronous questions of one asker may be answered, and none once the asker is gone. A
// question that news repeat may be answered while a newer one waits, so that it is answered at all. The asker owns a
// tracker and uses it in its own thread; answers come back to that thread.
#pragma once

#include <functional>
#include <stop_token>
#include <utility>

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

    /// As begin(), for a question that is repeated: end() follows its answer.
    std::stop_token beginRepeated()
    {
        const std::stop_token token = begin();
        m_isUnderWay = true;
        return token;
    }

    bool isUnderWay() const { return m_isUnderWay; }
    /// Sets the next question, for when the present one is answered; the latest replaces the one before.
    void setNext(std::function<void()> ask) { m_next = std::move(ask); }
    void end()
    {
        m_isUnderWay = false;
        if (const auto ask = std::exchange(m_next, {}))
            ask();
    }

    void cancel()
    {
        m_source.request_stop();
        m_isUnderWay = false;
        m_next = {};
    }

private:
    std::stop_source m_source;
    bool m_isUnderWay = false;
    std::function<void()> m_next;
};

} // namespace ringside
