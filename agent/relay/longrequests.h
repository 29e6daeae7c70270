// SPDX-License-Identifier: MIT
// Requests that last minutes (build, inventory, delete, engine), each carried out by a process of its own
// (`ringside-agent long-request`), so that the relay never waits and its end interrupts nothing. Nothing here waits.
#pragma once

#include "agent/relay/output.h"
#include "agent/relay/relay.h"
#include "core/base/descriptor.h"
#include "core/wire/frames.h"

#include <list>
#include <poll.h>
#include <sys/types.h>
#include <vector>

namespace ringside::relay {

class LongRequests
{
public:
    explicit LongRequests(const RelayOptions& options)
        : m_options(options)
    {
    }

    /// Starts the request's process, which gets it as a frame on standard input.
    Result<void> start(const wire::Message& request);

    void addTo(std::vector<pollfd>& set) const;
    /// Hands on what has come, as far as there is room for it. One that ends without an answer gets an ErrorReply.
    Result<void> forward(Output& output);

private:
    struct Process
    {
        pid_t pid = -1;
        Descriptor answers; ///< as frames
        std::uint32_t requestId = 0;
        wire::FrameReader reader;
        bool isAnswered = false;
    };

    /// False once it has ended.
    Result<bool> read(Process& process, Output& output) const;
    void reap();

    RelayOptions m_options;
    std::list<Process> m_longRequests;
    std::vector<pid_t> m_closing; ///< have closed their answers, and end soon
};

/// A message that ends a request.
bool isFinalReply(const wire::Message& message);

} // namespace ringside::relay
