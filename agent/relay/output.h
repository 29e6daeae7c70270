// SPDX-License-Identifier: MIT
// Messages on their way out. Never waits: the rest that does not fit into the pipe stays here, and the sender checks
// its size.
#pragma once

#include "core/base/error.h"
#include "core/wire/frames.h"

#include <string>

namespace ringside::relay {

class Output
{
public:
    /// `fd` is set to non-blocking and not owned.
    explicit Output(int fd);

    /// Fails only for a message that is too large; nothing is queued then.
    Result<void> add(const wire::Message& message);
    /// Writes as much as the pipe accepts now. Fails with io when the reader is gone.
    Result<void> flush();
    bool empty() const { return m_sent == m_pending.size(); }
    /// False while the reader is slow: what can wait should.
    bool roomy() const;

private:
    int m_fd;
    wire::FrameWriter m_frames;
    std::string m_pending;
    std::size_t m_sent = 0;
};

} // namespace ringside::relay
