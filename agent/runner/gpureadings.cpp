// SPDX-License-Identifier: MIT
#include "agent/runner/gpureadings.h"

#include "agent/runner/procfs.h"
#include "core/base/child.h"
#include "core/base/environment.h"
#include "core/base/rankvariables.h"
#include "core/protocol/record.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/socket.h>
#include <sys/wait.h>

namespace ringside::runner {

namespace {

constexpr std::size_t kMostBytes = 512; ///< a record has a hundred

/// Marked as of no attempt: one is over once no process of it is left, and a program that hangs in the driver cannot be
/// killed, and is not to be waited for.
std::vector<std::string> unmarkedEnvironment()
{
    return environmentWith({{kAttemptVariable, ""}});
}

} // namespace

Result<std::unique_ptr<GpuReadings>> GpuReadings::start(const fs::path& program, pid_t process, int gpus, int log)
{
    int ends[2]; // each record is a packet, whole or not there
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return fail(ErrorCode::unavailable, fmt::format("No socket can be made: {}.", std::strerror(errno)));
    Descriptor ours(ends[0]), theirs(ends[1]);
    TRY_ASSIGN(const pid_t child,
               startChild({.arguments = {program.string(), std::to_string(process), std::to_string(gpus)},
                           .environment = unmarkedEnvironment(),
                           .input = theirs.get(),
                           .errors = log,
                           .deathSignal = SIGKILL}));
    return std::unique_ptr<GpuReadings>(new GpuReadings(child, std::move(ours)));
}

GpuReadings::GpuReadings(pid_t program, Descriptor socket)
    : m_program(program)
    , m_socket(std::move(socket))
{
}

GpuReadings::~GpuReadings()
{
    ::kill(m_program, SIGKILL);
    ::waitpid(m_program, nullptr, WNOHANG); // init takes over what has not ended yet
}

std::optional<GpuTelemetry> GpuReadings::take()
{
    std::optional<GpuTelemetry> newest;
    const auto keep = [&](const Record& record) {
        if (const auto* load = std::get_if<GpuTelemetry>(&record))
            newest = *load;
    };
    std::array<char, kMostBytes> packet;
    for (ssize_t got; (got = ::recv(m_socket.get(), packet.data(), packet.size(), MSG_DONTWAIT)) > 0;)
        static_cast<void>(decodeRecords({packet.data(), static_cast<std::size_t>(got)}, keep)); // a damaged one is none
    ::send(m_socket.get(), "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    return newest;
}

} // namespace ringside::runner
