// SPDX-License-Identifier: MIT
// Commands run to their end, for tests.
#pragma once

#include "core/base/clock.h"
#include "core/base/descriptor.h"
#include "core/base/environment.h"
#include "core/remote/host.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <vector>

namespace ringside::test {

/// Everything a channel says until its end.
inline std::string readAll(Channel& channel)
{
    std::string all;
    for (const auto untilNs = monotonicNs() + 30'000'000'000; monotonicNs() < untilNs && !channel.atEnd();) {
        auto bytes = channel.read(1 << 16);
        REQUIRE_MESSAGE(bytes, (bytes ? std::string() : bytes.error().text()));
        all += *bytes;
        if (!bytes->empty() || channel.atEnd())
            continue;
        auto set = channel.pollSet(false);
        REQUIRE_MESSAGE(::poll(set.data(), set.size(), 20'000) > 0, "nothing to read, and no end");
    }
    CHECK(channel.atEnd());
    return all;
}

struct Outcome
{
    std::string output;
    std::string errors;
    int exitCode = 0;
};

inline Outcome run(Host& host, const std::vector<std::string>& words)
{
    auto channel = host.start({words});
    REQUIRE_MESSAGE(channel, (channel ? std::string() : channel.error().text()));
    (*channel)->endInput();
    Outcome outcome;
    outcome.output = readAll(**channel);
    outcome.exitCode = (*channel)->close(std::chrono::seconds(5));
    outcome.errors = (*channel)->errorText();
    return outcome;
}

/// Returns how many files this process has open.
inline std::ptrdiff_t openFiles()
{
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

/// Files of the test's own that take up every number that was free below the highest.
class OwnFiles
{
public:
    OwnFiles()
    {
        for (std::ptrdiff_t i = openFiles() + 50; i > 0; --i)
            m_files.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    }

    bool areOpen() const
    {
        return std::ranges::all_of(m_files, [](const Descriptor& file) { return ::fcntl(file.get(), F_GETFD) >= 0; });
    }

private:
    std::vector<Descriptor> m_files;
};

/// The text of an error, empty for success.
template <class T> std::string textOf(const Result<T>& result)
{
    return result ? std::string() : result.error().text();
}

/// Ends the test case where this machine cannot have such a server, and says why. In CI that is a failure.
#define REQUIRE_SSHD(sshd)                                                                                             \
    if (!(sshd).problem().empty()) {                                                                                   \
        REQUIRE_MESSAGE(!::ringside::environment("RINGSIDE_CI"), (sshd).problem());                                    \
        MESSAGE("skipped: ", (sshd).problem());                                                                        \
        return;                                                                                                        \
    }

} // namespace ringside::test
