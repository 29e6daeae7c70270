// SPDX-License-Identifier: MIT
// The spool of a process that may have to give up while another thread is ending in peace.
#pragma once

#include "agent/rank/recorder.h"

#include <mutex>

namespace ringside {

/// Any thread. Whoever destroys the recorder closes this first, which waits while it is being completed here.
class OpenSpool
{
public:
    void open(Recorder& recorder) { set(&recorder); }
    void close() { set(nullptr); }
    /// Completes the spool, if one is open; an error has nobody left to be told.
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
