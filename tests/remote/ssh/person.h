// SPDX-License-Identifier: MIT
// A person who answers as the test says, and remembers what was asked.
#pragma once

#include "core/remote/interaction.h"

#include <deque>
#include <string>
#include <vector>

namespace ringside::test {

class Person : public Interaction
{
public:
    bool trusts = false;
    std::deque<std::vector<std::string>> answers; ///< one entry per round; empty: closes the dialog
    bool hasKept = false;                         ///< the first answer is one that a keychain had

    std::vector<HostKeyQuestion> hostKeys;
    std::vector<HostKeyAlarm> alarms;
    std::vector<PromptRound> rounds;
    std::vector<std::string> notices;
    std::vector<bool> judgements; ///< whether answers were accepted

    Result<bool> trustHostKey(const HostKeyQuestion& question) override
    {
        hostKeys.push_back(question);
        return trusts;
    }

    Result<std::vector<Secret>> answer(const PromptRound& round) override
    {
        rounds.push_back(round);
        if (answers.empty())
            return fail(ErrorCode::cancelled, "The dialog was closed.");
        std::vector<Secret> secrets;
        for (const std::string& text : answers.front())
            secrets.emplace_back(text);
        answers.pop_front();
        return secrets;
    }

    bool judged(const PromptRound&, bool isAccepted) override
    {
        judgements.push_back(isAccepted);
        return std::exchange(hasKept, false);
    }

    void notice(const std::string&, const std::string& text) override { notices.push_back(text); }
    void hostKeyAlarm(const HostKeyAlarm& alarm) override { alarms.push_back(alarm); }
};

} // namespace ringside::test
