// SPDX-License-Identifier: MIT
// A relay that lives and answers nothing but pings; with `--probed` also what the site is: a cluster with Slurm. With
// `--slow` it takes at most 1.6 MB each second.
#include "core/wire/frames.h"

#include <cstring>
#include <unistd.h>

using namespace ringside;

namespace {

wire::FrameWriter writer;

bool say(const wire::Message& message)
{
    const auto bytes = writer.write(message);
    return bytes && ::write(STDOUT_FILENO, bytes->data(), bytes->size()) == static_cast<ssize_t>(bytes->size());
}

bool answer(const wire::Message& message, bool isProbed)
{
    if (const auto* ping = std::get_if<wire::Ping>(&message))
        return say(wire::Pong{ping->nonce});
    const auto* probe = std::get_if<wire::ProbeRequest>(&message);
    if (!probe || !isProbed)
        return true;
    return say(wire::ProbeReply{probe->requestId,
                                {{"agent", "/a"},
                                 {"arch", "x86_64"},
                                 {"cores", "2"},
                                 {"root", "/r"},
                                 {"root_writable", "true"},
                                 {"root_executable", "true"},
                                 {"slurm", "slurm 22.05"}}});
}

} // namespace

int main(int count, char** arguments)
{
    const bool isProbed = count > 1 && std::strcmp(arguments[1], "--probed") == 0;
    const bool isSlow = count > 1 && std::strcmp(arguments[1], "--slow") == 0;
    wire::Hello hello;
    hello.host = "mute";
    hello.root = "/r";
    bool goesOn = say(hello);
    wire::FrameReader reader;
    char buffer[4096];
    for (ssize_t n; goesOn && (n = ::read(STDIN_FILENO, buffer, sizeof buffer)) > 0;) {
        if (isSlow)
            ::usleep(2500);
        goesOn = reader
                     .feed({buffer, static_cast<std::size_t>(n)},
                           [&](wire::Message&& message) { goesOn = goesOn && answer(message, isProbed); })
                     .has_value();
    }
}
