// SPDX-License-Identifier: GPL-3.0-or-later
// Work beside the GUI thread: a value in, a value out, applied by its owner in its own thread, dropped when stale.
#pragma once

#include "app/session/jobtracker.h"
#include "app/session/taskthread.h"

#include <QCoreApplication>
#include <QObject>
#include <thread>
#include <type_traits>
#include <utility>

namespace ringside {

/// Runs `work(std::stop_token)` on `thread` and passes its value to `deliver` in the thread of `context`, unless
/// `tracker` began something newer or is gone. `context` must outlive `thread`. Both functions must be copyable.
template <class Work, class Deliver>
void runLatest(TaskThread& thread, JobTracker& tracker, QObject* context, Work work, Deliver deliver)
{
    thread.post([context, token = tracker.begin(), work, deliver] {
        if (token.stop_requested())
            return;
        auto apply = [token, deliver, value = work(token)]() mutable {
            if (!token.stop_requested())
                deliver(std::move(value));
        };
        QMetaObject::invokeMethod(context, std::move(apply), Qt::QueuedConnection);
    });
}

/// The same for a question that news repeat, however quickly: what is under way answers first, then the latest is
/// asked. Where the question itself is another one, cancel the tracker before.
template <class Work, class Deliver>
void runRepeatedly(TaskThread& thread, JobTracker& tracker, QObject* context, Work work, Deliver deliver)
{
    if (tracker.isUnderWay())
        return tracker.setNext([=, &thread, &tracker] { runRepeatedly(thread, tracker, context, work, deliver); });
    thread.post([context, &tracker, token = tracker.beginRepeated(), work, deliver] {
        if (token.stop_requested())
            return;
        auto apply = [&tracker, token, deliver, value = work(token)]() mutable {
            if (token.stop_requested())
                return; // the tracker may be gone
            deliver(std::move(value));
            if (!token.stop_requested())
                tracker.end();
        };
        QMetaObject::invokeMethod(context, std::move(apply), Qt::QueuedConnection);
    });
}

/// The same as runLatest() for tasks that must be done, such as writing: nothing newer replaces them, the end of the
/// thread waits for them, and every value is delivered while `context` lives.
template <class Work, class Deliver> void runAlways(TaskThread& thread, QObject* context, Work work, Deliver deliver)
{
    const auto task = [context, work, deliver] {
        auto apply = [deliver, value = work()]() mutable { deliver(std::move(value)); };
        QMetaObject::invokeMethod(context, std::move(apply), Qt::QueuedConnection);
    };
    thread.post(task, TaskThread::AtEnd::finish);
}

/// The same as runLatest() for work that may hang for good, as on a folder of a server that is gone: each task has a
/// thread that nothing waits for, neither its asker nor the end of the program. What the work uses, it owns.
template <class Work, class Deliver> void runApart(JobTracker& tracker, Work work, Deliver deliver)
{
    std::thread([token = tracker.begin(), work, deliver] {
        auto apply = [token, deliver, value = work(token)]() mutable {
            if (!token.stop_requested())
                deliver(std::move(value));
        };
        if (!token.stop_requested())
            QMetaObject::invokeMethod(QCoreApplication::instance(), std::move(apply), Qt::QueuedConnection);
    }).detach();
}

} // namespace ringside
