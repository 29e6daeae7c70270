// SPDX-License-Identifier: MIT
#include "core/remote/command.h"

#include "core/base/clock.h"
#include "core/base/words.h"

namespace ringside {

namespace {

constexpr std::size_t kPieceBytes = 256u << 10;
/// Time that a command may need to end after its output has.
constexpr std::chrono::milliseconds kEndLimit{5'000};

/// A command under way.
class Exchange
{
public:
    Exchange(Channel& channel, std::string_view input)
        : m_channel(channel)
        , m_input(input)
    {
        endInputAfterLast();
    }

    bool ended() const { return m_channel.atEnd(); }
    std::string takeOutput() { return std::move(m_output); }

    /// One look at both directions; says whether anything moved.
    Result<bool> turn()
    {
        TRY_ASSIGN(const std::size_t written, write());
        TRY_ASSIGN(const std::string piece, m_channel.read(kPieceBytes));
        m_output += piece;
        if (m_output.size() > kMaxOutputBytes)
            return fail(ErrorCode::damaged, Words::tr("The command prints without end."));
        return written > 0 || !piece.empty() || m_channel.atEnd();
    }

    void wait(int milliseconds)
    {
        auto set = m_channel.pollSet(!m_input.empty());
        ::poll(set.data(), set.size(), milliseconds);
    }

private:
    /// A command that reads no more has a reason, which it reports at its end.
    Result<std::size_t> write()
    {
        if (m_input.empty())
            return std::size_t{0};
        const auto taken = m_channel.write(m_input.substr(0, kPieceBytes));
        m_input.remove_prefix(taken ? *taken : m_input.size());
        endInputAfterLast();
        return taken ? *taken : 0;
    }

    void endInputAfterLast()
    {
        if (m_input.empty())
            m_channel.endInput();
    }

    Channel& m_channel;
    std::string_view m_input;
    std::string m_output;
};

} // namespace

Result<Finished> runScript(Host& host, const std::string& script, std::chrono::milliseconds limit)
{
    const CommandLine command{{"sh", "-s"}};
    TRY_ASSIGN(const std::unique_ptr<Channel> channel, host.start(command));
    Exchange exchange(*channel, script);
    const std::int64_t limitNs = toNs(limit);
    for (std::int64_t movedNs = monotonicNs(); !exchange.ended();) {
        TRY_ASSIGN(const bool moved, exchange.turn());
        const std::int64_t nowNs = monotonicNs();
        if (moved)
            movedNs = nowNs;
        else if (nowNs - movedNs > limitNs)
            return fail(ErrorCode::timeout,
                        Words::tr("{} on {} did nothing for {} s.", command.arguments.front(), host.name(),
                                  limit.count() / 1000),
                        Words::tr("Check the machine and its connection."));
        else
            exchange.wait(static_cast<int>((limitNs - (nowNs - movedNs)) / 1'000'000 + 1));
    }
    const int exitCode = channel->close(kEndLimit);
    return Finished{exitCode, exchange.takeOutput(), channel->errorText()};
}

} // namespace ringside
