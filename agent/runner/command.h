// SPDX-License-Identifier: MIT
// Running a program, with a limit on its time and its words. `Command` never waits; `ask` does.
#pragma once

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/files.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

struct pollfd;

namespace ringside::runner {

/// A program's output until its end.
struct Answer
{
    int code = 0;       ///< exit code; 128 + signal after a death by signal
    std::string output; ///< at least its last 16 MiB; so with errors
    std::string errors;

    bool good() const { return code == 0; }
};

using TextTest = std::function<bool(std::string_view)>;

struct CommandOptions
{
    std::chrono::milliseconds limit{10'000};
    /// It goes on after its limit and after our end; only its answer is not awaited any more. It inherits what is not
    /// marked close-on-exec: a lock, for one, is held as long as it runs.
    bool outlivesUs = false;
    /// Variables of our environment that it shall not see, by name.
    TextTest withhold = {};
    fs::path folder = {};    ///< where it runs; empty: here
    bool withErrors = false; ///< standard error is part of the output
    /// Gets each line of output as it comes; the last one need not end.
    std::function<void(std::string_view)> onLine = {};
    /// Asked by `ask` some fifty times a second: an error ends the program, and is what comes of it.
    std::function<Result<void>()> look = {};
};

/// A program that runs for us in a session of its own, with no input. Arguments are passed on as they are. Unless it
/// outlives us, it ends when the thread does that started it.
class Command
{
public:
    /// Fails with unavailable if it cannot be started.
    static Result<Command> start(const std::vector<std::string>& command, const CommandOptions& options);
    Command(Command&& other) noexcept;
    Command& operator=(Command&& other) noexcept;
    /// Ends the program, unless it outlives us.
    ~Command();

    /// Reads its output. True once its answer, or a failure to answer in time, is ready.
    bool poll(std::int64_t nowNs);
    /// For poll; reading ends with these descriptors.
    void addTo(std::vector<pollfd>& set) const;
    std::int64_t dueNs() const { return m_dueNs; }
    /// Fails with timeout. Call once, after `poll` returned true.
    Result<Answer> take();

private:
    struct Stream
    {
        Descriptor file;
        std::string text;
        std::function<void(std::string_view)> onLine = {};
        std::size_t emitted = 0; ///< beginning of the line in `text` that has not ended
        void read();
        void add(std::string_view bytes);
        void emitRest();
    };

    Command() = default;
    void end();

    std::string m_program;
    pid_t m_pid = -1;
    Stream m_output;
    Stream m_errors;
    std::chrono::milliseconds m_limit{0};
    std::int64_t m_dueNs = 0;
    bool m_outlivesUs = false;
    bool m_late = false;
    int m_code = 0;
};

/// The same, blocking until the answer is there or the time is over.
Result<Answer> ask(const std::vector<std::string>& command, const CommandOptions& options = {});

/// Standard output of a command that ended well. Fails with unavailable, and the last line of its standard error, for
/// another code than 0. A line that `tellsOnlyTheCode` is passed over where there is one before it.
Result<std::string> outputOf(const std::vector<std::string>& command, Result<Answer> answer,
                             const TextTest& tellsOnlyTheCode = {});

} // namespace ringside::runner
