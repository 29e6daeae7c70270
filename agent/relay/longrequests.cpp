// SPDX-License-Identifier: MIT
#include "agent/relay/longrequests.h"

#include "core/base/child.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringside::relay {

namespace {

constexpr std::size_t kReadBytes = 1u << 16;

Error systemFailure(const char* call)
{
    return {ErrorCode::unavailable, fmt::format("{}: {}.", call, std::strerror(errno)),
            "Too many processes or files of yours may be open there."};
}

/// In memory; where the kernel knows no such files (before 3.17), below `root`.
Descriptor makeNamelessFile(const fs::path& root)
{
    Descriptor memory(::memfd_create("request", MFD_CLOEXEC));
    if (memory.get() >= 0 || errno != ENOSYS)
        return memory;
    std::string path = (root / "request-XXXXXX").string();
    Descriptor file(::mkostemp(path.data(), O_CLOEXEC));
    if (file.get() >= 0)
        ::unlink(path.c_str());
    return file;
}

/// A file that holds the request, to be read from its beginning.
Result<Descriptor> requestFile(const fs::path& root, const wire::Message& request)
{
    wire::FrameWriter writer;
    TRY_ASSIGN(const std::string bytes, writer.write(request));
    Descriptor file = makeNamelessFile(root);
    if (file.get() < 0 || ::write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()) ||
        ::lseek(file.get(), 0, SEEK_SET) != 0)
        return tl::unexpected(systemFailure("cannot store the request"));
    return file;
}

/// With nothing of ours open: not even standard error, which would hold the app's channel.
Result<pid_t> spawn(const RelayOptions& options, int input, int output)
{
    return startChild({.arguments = {options.agent.string(), "long-request", "--root", options.root.string()},
                       .input = input,
                       .output = output,
                       .group = ChildStart::Group::session});
}

} // namespace

Result<void> LongRequests::start(const wire::Message& request)
{
    TRY_ASSIGN(const Descriptor input, requestFile(m_options.root, request));
    Pipe answers;
    if (answers.input.get() < 0)
        return tl::unexpected(systemFailure("cannot make a pipe"));
    TRY_ASSIGN(const pid_t pid, spawn(m_options, input.get(), answers.input.get()));
    ::fcntl(answers.output.get(), F_SETFL, O_NONBLOCK);
    m_longRequests.push_back({pid, std::move(answers.output), wire::requestIdOf(request), {}, false});
    return {};
}

void LongRequests::addTo(std::vector<pollfd>& set) const
{
    for (const auto& process : m_longRequests)
        set.push_back({process.answers.get(), POLLIN, 0});
}

Result<void> LongRequests::forward(Output& output)
{
    reap();
    for (auto process = m_longRequests.begin(); process != m_longRequests.end() && output.roomy();) {
        TRY_ASSIGN(const bool goesOn, read(*process, output));
        if (goesOn) {
            ++process;
            continue;
        }
        const bool isAnswered = process->isAnswered;
        const std::uint32_t requestId = process->requestId;
        m_closing.push_back(process->pid);
        process = m_longRequests.erase(process);
        if (!isAnswered)
            TRY(output.add(wire::ErrorReply{requestId,
                                            {ErrorCode::unavailable,
                                             "The request ended without an answer: its process was killed there.",
                                             "Ask again; a machine that is short of memory may be the reason."}}));
    }
    return {};
}

/// Those that have not ended yet are looked at again with the next turn.
void LongRequests::reap()
{
    std::erase_if(m_closing, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
}

Result<bool> LongRequests::read(Process& process, Output& output) const
{
    char buffer[kReadBytes];
    const ssize_t n = ::read(process.answers.get(), buffer, sizeof buffer);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    std::vector<wire::Message> messages;
    const auto fed = process.reader.feed({buffer, n > 0 ? static_cast<std::size_t>(n) : 0},
                                         [&](wire::Message&& message) { messages.push_back(std::move(message)); });
    for (const auto& message : messages) {
        process.isAnswered = process.isAnswered || isFinalReply(message);
        TRY(output.add(message));
    }
    return n > 0 && fed.has_value();
}

bool isFinalReply(const wire::Message& message)
{
    return std::holds_alternative<wire::BuildReply>(message) || std::holds_alternative<wire::InventoryReply>(message) ||
           std::holds_alternative<wire::DeleteReply>(message) || std::holds_alternative<wire::EngineReply>(message) ||
           std::holds_alternative<wire::ErrorReply>(message);
}

} // namespace ringside::relay
