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
    /// Drops tasks that have not begun and joins.
    ~TaskThread();

    /// Returns at once; safe from any thread.
    void post(std::function<void()> task);

private:
    void work(const std::stop_token& stop);

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<std::function<void()>> m_tasks;
    std::jthread m_thread; // last: it uses the rest
};

} // namespace ringside
