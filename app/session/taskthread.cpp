// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/taskthread.h"

#include <pthread.h>

namespace ringside {

TaskThread::TaskThread(const std::string& name)
    : m_thread([this](const std::stop_token& stop) { work(stop); })
{
    pthread_setname_np(m_thread.native_handle(), name.c_str());
}

TaskThread::~TaskThread() = default;

void TaskThread::post(std::function<void()> work, AtEnd atEnd)
{
    {
        const std::lock_guard lock(m_mutex);
        m_tasks.push_back({std::move(work), atEnd});
    }
    m_wake.notify_one();
}

void TaskThread::work(const std::stop_token& stop)
{
    for (;;) {
        std::unique_lock lock(m_mutex);
        if (!m_wake.wait(lock, stop, [this] { return !m_tasks.empty(); }))
            return; // stopped, and nothing is left
        const Task task = std::move(m_tasks.front());
        m_tasks.pop_front();
        lock.unlock();
        if (!stop.stop_requested() || task.atEnd == AtEnd::finish)
            task.work();
    }
}

} // namespace ringside
