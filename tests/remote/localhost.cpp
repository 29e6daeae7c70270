// SPDX-License-Identifier: MIT
#include "core/remote/localhost.h"
#include "core/base/clock.h"
#include "core/remote/relayclient.h"

#include <doctest/doctest.h>
#include <thread>

using namespace ringside;
using std::chrono::milliseconds;

namespace {

std::unique_ptr<Channel> start(const std::string& script)
{
    auto channel = LocalHost().start({{"/bin/sh", "-c", script}});
    REQUIRE(channel);
    return std::move(*channel);
}

std::string readAll(Channel& channel)
{
    std::string all;
    for (const auto untilNs = monotonicNs() + 20'000'000'000; monotonicNs() < untilNs && !channel.atEnd();) {
        auto set = channel.pollSet(false);
        ::poll(set.data(), set.size(), 100);
        auto bytes = channel.read(1 << 16);
        REQUIRE(bytes);
        all += *bytes;
    }
    CHECK(channel.atEnd());
    return all;
}

/// Seconds that something takes.
template <class Work> double secondsOf(Work work)
{
    const auto beginNs = monotonicNs();
    work();
    return static_cast<double>(monotonicNs() - beginNs) * 1e-9;
}

} // namespace

TEST_CASE("what goes in comes out, and the exit code is reported")
{
    auto channel = start("cat; exit 7");
    CHECK(channel->write("hello") == 5u);
    CHECK(channel->close(milliseconds(2'000)) == 7);
    auto echo = start("printf 'a b'");
    CHECK(readAll(*echo) == "a b");
}

TEST_CASE("standard error is kept as plain text, and cut")
{
    auto channel = start("printf 'bad\\033[31m' >&2; i=0; while [ $i -lt 2000 ]; do echo 'forty characters of a long "
                         "complaint .' >&2; i=$((i+1)); done");
    readAll(*channel);
    channel->close(milliseconds(2'000));
    CHECK(channel->errorText().starts_with("bad?[31m"));
    CHECK(channel->errorText().size() <= kMaxErrorTextBytes);
}

TEST_CASE("the line ends of ssh's own messages are line ends")
{
    auto channel = start("printf 'No such host.\\r\\n' >&2");
    readAll(*channel);
    channel->close(milliseconds(2'000));
    CHECK(channel->errorText() == "No such host.\n");
}

TEST_CASE("a command that does not end is killed after its grace")
{
    auto channel = start("trap '' TERM HUP; while :; do sleep 1; done");
    int code = 0;
    CHECK(secondsOf([&] { code = channel->close(milliseconds(200)); }) < 2);
    CHECK(code == 128 + 9);
}

TEST_CASE("writing to a command that has ended is an error, not a signal")
{
    auto channel = start("exit 0");
    readAll(*channel);
    std::this_thread::sleep_for(milliseconds(50));
    Result<std::size_t> written = 0;
    for (int i = 0; i < 10 && written; ++i)
        written = channel->write("x");
    CHECK_FALSE(written);
}

TEST_CASE("a second command inherits nothing of the first")
{
    const std::string count = "ls /proc/self/fd | wc -l";
    auto alone = start(count);
    const std::string before = readAll(*alone);
    alone->close(milliseconds(1'000));
    auto first = start("cat");
    auto second = start(count);
    CHECK(readAll(*second) == before);
}

TEST_CASE("a program that is missing, silent, chatty or dying is no relay, and the error says what it did")
{
    LocalHost host;
    const auto connect = [&](std::vector<std::string> command, milliseconds limit = milliseconds(500)) {
        auto client = RelayClient::connect(host, {std::move(command)}, limit);
        REQUIRE_FALSE(client);
        return client.error();
    };
    CHECK(connect({"/no/such/agent"}).code == ErrorCode::unavailable);
    CHECK(connect({"/bin/sh", "-c", "sleep 30"}).code == ErrorCode::timeout);
    CHECK(connect({"/bin/sh", "-c", "echo no space left >&2; exit 1"}, milliseconds(5'000))
              .message.find("no space left") != std::string::npos);
    CHECK(connect({"/bin/sh", "-c", "echo Welcome to the cluster; sleep 30"}).message.find("Welcome to the cluster") !=
          std::string::npos);
    CHECK_FALSE(connect({"/bin/sh", "-c", "head -c 3000000 /dev/zero"}, milliseconds(5'000)).message.empty());
}
