// SPDX-License-Identifier: MIT
#include "core/jobs/reasons/reasonsentence.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/jobs/reasons/sentences.h"

#include <algorithm>

namespace ringside::jobs {

namespace {

const Sentence* find(std::span<const Sentence> sentences, std::string_view code)
{
    const auto found = std::ranges::find(sentences, code, &Sentence::code);
    return found == sentences.end() ? nullptr : &*found;
}

bool hasNeeded(const Reason& reason, const Sentence& sentence)
{
    return sentence.needs.empty() || reason.number(sentence.needs) || !reason.word(sentence.needs).empty();
}

} // namespace

std::string rankName(std::int64_t process, std::int64_t ranksPerProcess)
{
    const std::int64_t each = ranksPerProcess;
    const bool isSane = process >= 0 && process < 1'000'000 && each < 1'000'000; // it may be foreign
    return each > 1 && isSane
               ? Words::tr("Process {} (ranks {}–{})", process, process * each, process * each + each - 1)
               : Words::tr("Rank {}", process);
}

std::string ended(std::string text)
{
    return text.ends_with('.') ? text : text + ".";
}

std::string plainWord(const Reason& reason, std::string_view argument)
{
    const auto number = reason.number(argument); // a later version may count what is a name here
    return number ? std::to_string(*number) : plainText(reason.word(argument));
}

std::string sentenceOf(const Reason& reason)
{
    if (!reason.text.empty())
        return plainText(Words::translated(reason.text));
    if (reason.code == why::kJob && !reason.word("job").empty() && !reason.word("scheduler").empty())
        return jobSentence(reason, wallNs());
    for (const auto& sentences : {attemptSentences(), launchSentences(), waitSentences(), keptSentences()})
        if (const Sentence* sentence = find(sentences, reason.code); sentence && hasNeeded(reason, *sentence))
            return sentence->text ? Words::translated(sentence->text) : sentence->make(reason);
    return plainText(reason.code);
}

} // namespace ringside::jobs
