// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal.h"

#include "core/base/clock.h"
#include "core/base/say.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

namespace ringside::cli {

namespace {

constexpr std::size_t kMaxAnswer = 1000;
constexpr char kInterrupt = 3; // Ctrl+C, which is no signal while we read
constexpr char kEndOfInput = 4;
constexpr char kBackspace = 8;
constexpr char kDelete = 127;

/// /dev/tty read character by character; as it was before when this goes.
class RawTerminal
{
public:
    explicit RawTerminal(bool echo)
        : m_fd(::open("/dev/tty", O_RDWR | O_CLOEXEC))
        , m_echo(echo)
    {
        m_isSet = m_fd >= 0 && ::tcgetattr(m_fd, &m_before) == 0;
        if (!m_isSet)
            return;
        termios raw = m_before;
        raw.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | ISIG);
        ::tcsetattr(m_fd, TCSAFLUSH, &raw);
    }
    RawTerminal(const RawTerminal&) = delete;
    RawTerminal& operator=(const RawTerminal&) = delete;
    ~RawTerminal()
    {
        if (m_isSet)
            ::tcsetattr(m_fd, TCSAFLUSH, &m_before);
        if (m_fd >= 0)
            ::close(m_fd);
    }

    bool isThere() const { return m_isSet; }
    void write(std::string_view text) { [[maybe_unused]] const ssize_t n = ::write(m_fd, text.data(), text.size()); }

    /// One line without its end; nothing if it was interrupted or took longer than the limit.
    std::optional<Secret> readLine(std::int64_t untilNs)
    {
        char line[kMaxAnswer];
        std::size_t size = 0;
        std::optional<Secret> answer;
        while (const auto c = read(untilNs)) {
            if (*c == '\n' || *c == '\r') {
                answer.emplace(std::string_view(line, size));
                break;
            }
            if (*c == kInterrupt || (*c == kEndOfInput && size == 0))
                break;
            take(*c, line, size);
        }
        ::explicit_bzero(line, sizeof line);
        write("\n");
        return answer;
    }

private:
    std::optional<char> read(std::int64_t untilNs)
    {
        const std::int64_t leftMs = std::max<std::int64_t>(0, (untilNs - monotonicNs()) / 1'000'000);
        pollfd set{m_fd, POLLIN, 0};
        char c = 0;
        if (::poll(&set, 1, static_cast<int>(leftMs)) != 1 || ::read(m_fd, &c, 1) != 1)
            return std::nullopt;
        return c;
    }

    void take(char c, char* line, std::size_t& size)
    {
        const bool erases = c == kBackspace || c == kDelete;
        if (erases && size > 0)
            --size;
        else if (!erases && static_cast<unsigned char>(c) >= ' ' && size < kMaxAnswer)
            line[size++] = c;
        else
            return;
        if (m_echo)
            write(erases ? std::string_view("\b \b") : std::string_view(&c, 1));
    }

    int m_fd;
    bool m_echo;
    bool m_isSet = false;
    termios m_before{};
};

Error nobodyThere(const std::string& subject)
{
    return {ErrorCode::needsUser, fmt::format("{} asks for something, and there is no terminal to ask at.", subject),
            "Run this in a terminal, or sign in with a key that an ssh agent holds."};
}

/// Only a comparison by a person makes a new key safe: neither an agent's key nor a password does.
Error nobodyCompares(const HostKeyQuestion& question)
{
    const std::string hint =
        question.keptIn.empty()
            ? "The ssh configuration names no file that would remember the key (UserKnownHostsFile none): name one, "
              "connect once in a terminal (“ringside-cli site test”), and compare the key there."
            : fmt::format("Connect once in a terminal (“ringside-cli site test”) and compare the key there, or add it "
                          "to {} with ssh-keyscan after comparing it.",
                          question.keptIn.string());
    return {ErrorCode::needsUser,
            fmt::format("{} is not known yet, and there is no terminal to ask at. It shows the {} key {}; nothing was "
                        "sent.",
                        question.host, question.keyType, question.fingerprint),
            hint};
}

std::int64_t untilNs(std::chrono::milliseconds limit)
{
    return monotonicNs() + toNs(limit);
}

Error notAnswered(const std::string& subject)
{
    return {ErrorCode::cancelled, fmt::format("The question of {} was not answered.", subject), "Try again."};
}

void writeLine(RawTerminal& terminal, const std::string& text)
{
    if (!text.empty())
        terminal.write(text + "\n");
}

} // namespace

Result<bool> Terminal::trustHostKey(const HostKeyQuestion& question)
{
    RawTerminal terminal(true);
    if (!terminal.isThere())
        return tl::unexpected(nobodyCompares(question));
    terminal.write(fmt::format("{} is not known yet. It shows the {} key\n  {}\n", question.host, question.keyType,
                               question.fingerprint));
    terminal.write(question.keptIn.empty()
                       ? "It would not be saved, and each connection asks again: the ssh configuration names no file "
                         "for it (UserKnownHostsFile none).\n"
                       : fmt::format("It would be saved in {}.\n", question.keptIn.string()));
    terminal.write("Did you compare it with what the site publishes? Type yes to connect: ");
    const auto answer = terminal.readLine(untilNs(kAnswerLimit));
    return answer && std::string_view(answer->c_str()) == "yes";
}

Result<std::vector<Secret>> Terminal::answer(const PromptRound& round)
{
    const std::int64_t until = untilNs(round.limit);
    std::vector<Secret> answers;
    for (const Prompt& prompt : round.prompts) {
        RawTerminal terminal(prompt.echo);
        if (!terminal.isThere())
            return tl::unexpected(nobodyThere(round.subject));
        if (answers.empty()) {
            writeLine(terminal, round.subject);
            writeLine(terminal, round.title);
            writeLine(terminal, round.instruction);
        }
        terminal.write(prompt.text.ends_with(' ') ? prompt.text : prompt.text + " ");
        auto answer = terminal.readLine(until);
        if (!answer)
            return tl::unexpected(notAnswered(round.subject));
        answers.push_back(std::move(*answer));
    }
    return answers;
}

void Terminal::notice(const std::string& subject, const std::string& text)
{
    sayError("{}: {}", subject, text);
}

/// Nothing is asked: the error of the connection says the rest.
void Terminal::hostKeyAlarm(const HostKeyAlarm& alarm)
{
    sayError("{} shows another host key than the one on record; nothing was sent to it.\n  known    {} {}\n"
             "  offered  {} {}",
             alarm.host, alarm.knownType, alarm.knownFingerprint, alarm.offeredType, alarm.offeredFingerprint);
    if (!alarm.removeCommand.empty())
        sayError("If the site confirms the new key, remove the old one ({}:{}):\n  {}", alarm.file.string(), alarm.line,
                 alarm.removeCommand);
}

} // namespace ringside::cli
