// SPDX-License-Identifier: MIT
#include "core/remote/transfer/remotehelper.h"

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <algorithm>

namespace ringside::transfer {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kReadBytes = 64u << 10;
constexpr std::size_t kMaxHeard = 1u << 20; ///< of a login shell that prints without end
constexpr milliseconds kEndLimit{5'000};
constexpr int kStopLookMs = 100;

struct Meaning
{
    const char* said;
    ErrorCode code;
    const char* hint;
};

/// As GNU, BSD and busybox say them in the locale C.
constexpr Meaning kMeanings[] = {
    {"No space left", ErrorCode::noSpace, Words::noop("Free some space or files there, or use another folder.")},
    {"quota exceeded", ErrorCode::noSpace, Words::noop("Free some space or files there, or use another folder.")},
    {"Read-only file system", ErrorCode::permission, Words::noop("Use a folder that can be written.")},
    {"Permission denied", ErrorCode::permission, Words::noop("Use a folder that your account may use.")},
    {"Operation not permitted", ErrorCode::permission, Words::noop("Use a folder that your account may use.")},
    {"No such file", ErrorCode::notFound, Words::noop("Check the path on the site.")},
    {"not found", ErrorCode::unavailable, Words::noop("The site lacks a basic command; ask its administrators.")},
    {"restricted", ErrorCode::unavailable,
     Words::noop("The account has a restricted shell; ask the site for one that runs commands.")},
};

std::string lastLines(const std::string& text)
{
    constexpr std::size_t kShown = 500;
    std::string shown = text.substr(text.size() - std::min(text.size(), kShown));
    while (!shown.empty() && (shown.back() == '\n' || shown.back() == ' '))
        shown.pop_back();
    return shown;
}

} // namespace

milliseconds verifyLimit(std::uint64_t bytes)
{
    constexpr std::uint64_t kSlowestBytesPerMs = 10'000;
    return kSilenceLimit + milliseconds(bytes / kSlowestBytesPerMs);
}

Error complaint(const std::string& doing, const std::string& said)
{
    const auto meaning = std::find_if(std::begin(kMeanings), std::end(kMeanings), [&](const Meaning& candidate) {
        return said.find(candidate.said) != std::string::npos;
    });
    const std::string message =
        said.empty() ? Words::tr("{} failed.", doing) : Words::tr("{} failed: {}", doing, lastLines(said));
    return meaning == std::end(kMeanings) ? Error{ErrorCode::io, message, Words::tr("Try again.")}
                                          : Error{meaning->code, message, Words::translated(meaning->hint)};
}

RemoteHelper::RemoteHelper(std::unique_ptr<Channel> channel, std::string mark, std::string host)
    : m_channel(std::move(channel))
    , m_mark(std::move(mark))
    , m_host(std::move(host))
{
}

RemoteHelper::~RemoteHelper()
{
    if (m_channel)
        m_channel->close(kEndLimit);
}

Result<RemoteHelper> RemoteHelper::start(Host& host, const char* script, std::vector<std::string> arguments)
{
    const std::string mark = "ringside-" + randomUuid();
    CommandLine command{{"sh", "-c", script, "sh", mark}};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    TRY_ASSIGN(std::unique_ptr<Channel> channel, host.start(command));
    return RemoteHelper(std::move(channel), mark, host.name());
}

/// The rest of the first whole line that holds the mark.
std::optional<std::string> RemoteHelper::takeLine()
{
    const auto at = m_received.find(m_mark + " ");
    const auto end = at == std::string::npos ? at : m_received.find('\n', at);
    if (end == std::string::npos)
        return std::nullopt;
    const auto begin = at + m_mark.size() + 1;
    std::string line = m_received.substr(begin, end - begin);
    m_received.erase(0, end + 1);
    return line;
}

/// True if something came.
Result<bool> RemoteHelper::listen()
{
    TRY_ASSIGN(const std::string bytes, m_channel->read(kReadBytes));
    m_received += bytes;
    if (m_received.size() > kMaxHeard)
        return tl::unexpected(noise());
    return !bytes.empty();
}

Error RemoteHelper::noise() const
{
    return {ErrorCode::timeout, Words::tr("The shell of {} did not answer as it should.", m_host),
            Words::tr("Check the machine and its connection, and what its login shell prints.")};
}

Result<void> RemoteHelper::check()
{
    TRY(listen());
    return m_channel->atEnd() ? Result<void>(tl::unexpected(reason())) : Result<void>();
}

Result<std::string> RemoteHelper::readLine(milliseconds limit, const std::stop_token& stop)
{
    const std::int64_t untilNs = monotonicNs() + toNs(limit);
    for (;;) {
        TRY_ASSIGN(const bool heard, listen());
        if (auto line = takeLine())
            return std::move(*line);
        if (m_channel->atEnd())
            return tl::unexpected(reason());
        if (stop.stop_requested())
            return fail(ErrorCode::cancelled, Words::tr("The transfer was stopped on request."));
        if (monotonicNs() > untilNs)
            return tl::unexpected(noise());
        if (heard)
            continue;
        auto set = m_channel->pollSet(false);
        ::poll(set.data(), set.size(), kStopLookMs);
    }
}

Result<void> RemoteHelper::writeLine(const std::string& line)
{
    const std::string text = line + "\n";
    TRY_ASSIGN(const std::size_t taken, m_channel->write(text));
    return taken == text.size() ? Result<void>()
                                : fail(ErrorCode::io, Words::tr("The shell of {} reads no more.", m_host));
}

Error RemoteHelper::reason()
{
    m_channel->close(kEndLimit);
    return complaint(Words::tr("A transfer with {}", m_host), m_channel->errorText());
}

} // namespace ringside::transfer
