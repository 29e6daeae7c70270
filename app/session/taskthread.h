// SPDX-License-Identifier: GPL-3.0-or-later
// One named thread that carries out tasks in the order in which they are posted.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace ringside {

class TaskThread
{
public:
    /// `name` is shown by debuggers; at most 15 bytes.
    explicit TaskThread(const std::string& name);
    /// Carries out what has to be done, drops other tasks that have not begun, and joins.
    ~TaskThread();

    /// The handling of a task that has not begun when the thread ends: dropped, or done, such as writing.
    enum class AtEnd
    {
        drop,
        finish
    };

    /// Returns at once; safe from any thread.
    void post(std::function<void()> work, AtEnd atEnd = AtEnd::drop);

private:
    struct Task
    {
        std::function<void()> work;
        AtEnd atEnd;
    };

    void work(const std::stop_token& stop);

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<Task> m_tasks;
    std::jthread m_thread; // last: it uses the rest
};

} // namespace ringside
