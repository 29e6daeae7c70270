// SPDX-License-Identifier: MIT
// The spool of a process that may have to give up while another thread is shutting down.
#pragma once

#include "agent/rank/recorder.h"

#include <mutex>

namespace ringside {

/// Any thread. Close this before destroying the recorder; that waits for a completion in progress here.
class OpenSpool
{
public:
    void open(Recorder& recorder) { set(&recorder); }
    void close() { set(nullptr); }
    /// Completes the spool, if one is open; an error can no longer be reported.
    void complete(int exitCode)
    {
        const std::lock_guard lock(m_mutex);
        if (m_recorder)
            static_cast<void>(m_recorder->finish(exitCode));
    }

private:
    void set(Recorder* recorder)
    {
        const std::lock_guard lock(m_mutex);
        m_recorder = recorder;
    }

    std::mutex m_mutex;
    Recorder* m_recorder = nullptr;
};

} // namespace ringside
