// SPDX-License-Identifier: MIT
#include "core/remote/ssh/questions.h"

#include "core/base/text.h"
#include "core/base/words.h"

#include <fmt/ranges.h>

namespace ringside::ssh {

namespace {

constexpr std::size_t kMaxTextBytes = 2'000; // UX 3.8
constexpr std::size_t kMaxPromptBytes = 80;  // in a message

std::string shown(const char* text)
{
    const std::string_view all = text ? text : "";
    const std::string plain = plainText(all.substr(0, kMaxTextBytes));
    return all.size() > kMaxTextBytes ? plain + "…" : plain;
}

PromptRound roundOf(ssh_session session, int number)
{
    PromptRound round;
    round.title = shown(ssh_userauth_kbdint_getname(session));
    round.instruction = shown(ssh_userauth_kbdint_getinstruction(session));
    round.round = number;
    for (int i = 0; i < ssh_userauth_kbdint_getnprompts(session); ++i) {
        char echo = 0;
        const char* text = ssh_userauth_kbdint_getprompt(session, static_cast<unsigned>(i), &echo);
        round.prompts.push_back({shown(text), echo != 0});
    }
    return round;
}

/// The prompt itself: what else a server says is in lines before it.
std::string promptName(const Prompt& prompt)
{
    std::string text = prompt.text;
    const auto cut = [&] { text.erase(text.find_last_not_of(" :\n") + 1); };
    cut();
    text.erase(0, text.find_last_of('\n') + 1);
    return text.substr(0, kMaxPromptBytes);
}

} // namespace

Questions::Questions(SignIn& signIn, Interaction* human)
    : m_signIn(signIn)
    , m_human(human)
{
}

void Questions::showGreeting()
{
    char* greeting = ssh_get_issue_banner(m_signIn.session());
    if (greeting && m_human)
        m_human->notice(m_signIn.settings().account(), shown(greeting));
    ssh_string_free_char(greeting);
}

bool Questions::isPersonThere()
{
    if (!m_human)
        m_signIn.recordUserMissing();
    return m_human;
}

Result<Outcome> Questions::answerServer()
{
    if (!isPersonThere())
        return Outcome::refused;
    bool answered = false;
    m_asked.clear();
    TRY_ASSIGN(int answer, goOn());
    while (answer == SSH_AUTH_INFO) {
        TRY_ASSIGN(const bool asked, answerRound());
        answered = answered || asked;
        TRY_ASSIGN(answer, goOn());
    }
    TRY_ASSIGN(const Outcome outcome, m_signIn.meaning(answer));
    if (answered && outcome == Outcome::refused)
        return unlessRefused(outcome, answersGiven());
    if (answered)
        return m_signIn.record(outcome, Words::tr("answers to the server's questions"));
    if (outcome != Outcome::refused)
        return m_signIn.record(outcome, Words::tr("a check of the server's own")); // such as a push to a telephone
    return outcome;
}

/// Servers say only that they refuse. One that asks on after a wrong answer does so to hide which one it was.
std::string Questions::answersGiven() const
{
    if (m_asked.size() == 1)
        return Words::tr("the answer to “{}”", m_asked.front());
    const std::string all = fmt::format("“{}”", fmt::join(m_asked, "”, “"));
    return Words::tr("the answers to {}, after the last of them; the server does not say which one was wrong", all);
}

Result<int> Questions::goOn()
{
    if (++m_rounds > kMaxRounds)
        return fail(ErrorCode::permission,
                    Words::tr("{} keeps asking and does not accept your sign-in.", m_signIn.settings().place()),
                    Words::tr("Tell its administrators."));
    return m_signIn.ask([&] { return ssh_userauth_kbdint(m_signIn.session(), nullptr, nullptr); });
}

Result<bool> Questions::answerRound()
{
    PromptRound round = roundOf(m_signIn.session(), m_rounds);
    round.subject = m_signIn.settings().account();
    if (round.prompts.empty()) {
        if (!round.title.empty() || !round.instruction.empty())
            m_human->notice(round.subject, round.title.empty() ? round.instruction
                                                               : fmt::format("{}\n{}", round.title, round.instruction));
        return false;
    }
    for (const Prompt& prompt : round.prompts)
        m_asked.push_back(promptName(prompt));
    TRY_ASSIGN(const std::vector<Secret> answers, ask(round));
    for (std::size_t i = 0; i < answers.size(); ++i)
        ssh_userauth_kbdint_setanswer(m_signIn.session(), static_cast<unsigned>(i), answers[i].c_str());
    return true;
}

Result<Outcome> Questions::givePassword()
{
    if (!isPersonThere())
        return Outcome::refused;
    PromptRound round;
    round.kind = PromptRound::Kind::password;
    round.subject = m_signIn.settings().account();
    round.prompts = {{Words::tr("Password"), false}};
    TRY_ASSIGN(Outcome outcome, tryPassword(round));
    if (m_human->judged(round, outcome != Outcome::refused) && outcome == Outcome::refused) {
        TRY_ASSIGN(outcome, tryPassword(round)); // the first one was a stored one, and holds no more
        m_human->judged(round, outcome != Outcome::refused);
    }
    return unlessRefused(outcome, Words::tr("password"));
}

Result<Outcome> Questions::tryPassword(const PromptRound& round)
{
    TRY_ASSIGN(const std::vector<Secret> answers, ask(round));
    return m_signIn.finish([&] { return ssh_userauth_password(m_signIn.session(), nullptr, answers[0].c_str()); });
}

Result<std::vector<Secret>> Questions::ask(const PromptRound& round)
{
    TRY_ASSIGN(std::vector<Secret> answers, m_human->answer(round));
    if (answers.size() != round.prompts.size())
        return fail(ErrorCode::internal, Words::tr("A sign-in got another number of answers than it asked for."));
    return answers;
}

Result<Outcome> Questions::unlessRefused(Outcome outcome, const std::string& what)
{
    if (outcome != Outcome::refused)
        return m_signIn.record(outcome, what);
    const HostSettings& settings = m_signIn.settings();
    return fail(ErrorCode::permission,
                Words::tr("{} did not accept the sign-in of {}. Refused: {}.", settings.place(), settings.user, what),
                Words::tr("Sign in again. Nothing is tried again by itself, so that no account is locked."));
}

} // namespace ringside::ssh
