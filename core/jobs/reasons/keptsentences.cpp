// SPDX-License-Identifier: MIT
#include "core/base/words.h"
#include "core/jobs/reasons/sentences.h"

#include <array>

namespace ringside::jobs {

namespace {

/// "It cannot be deleted: Permission denied."
std::string withSaid(const std::string& text, const Reason& reason)
{
    const std::string said = plainWord(reason, "said");
    return ended(said.empty() ? text : Words::tr("{}: {}", text, said));
}

/// Names the run of a campaign that makes it stay.
std::string ofRun(std::string sentence, const Reason& reason)
{
    const std::string run = plainWord(reason, "run");
    return run.empty() ? sentence : Words::tr("Run {} of it stays: {}", run, sentence);
}

std::string unread(const Reason& reason)
{
    return withSaid(Words::tr("What it says about itself cannot be read"), reason);
}

std::string neededBy(const Reason& reason)
{
    return Words::tr("Campaign {} of “{}”, which is not over, needs it.", plainWord(reason, "campaign"),
                     plainWord(reason, "experiment"));
}

/// A campaign whose plan cannot be read there has only its id.
std::string mayNeed(const Reason& reason)
{
    if (plainWord(reason, "experiment").empty())
        return Words::tr("Campaign {}, whose plan cannot be read, may use it.", plainWord(reason, "campaign"));
    return Words::tr("Campaign {} of “{}” may use it.", plainWord(reason, "campaign"), plainWord(reason, "experiment"));
}

std::string builtWith(const Reason& reason)
{
    return Words::tr("Worker {} was built with it. Delete that first.", plainWord(reason, "worker"));
}

std::string notSeen(const Reason& reason)
{
    return withSaid(Words::tr("It cannot be looked at"), reason);
}

std::string notDeleted(const Reason& reason)
{
    return withSaid(Words::tr("It cannot be deleted"), reason);
}

std::string notStored(const Reason& reason)
{
    return ofRun(Words::tr("{} is stored only up to byte {} of {}. Collect it first.", plainWord(reason, "file"),
                           reason.number("stored_bytes").value_or(0), reason.number("bytes").value_or(0)),
                 reason);
}

std::string journalNotStored(const Reason& reason)
{
    return ofRun(Words::tr("Its journal is not stored to its end. Collect it first."), reason);
}

std::string notChecked(const Reason& reason)
{
    return ofRun(withSaid(Words::tr("{} cannot be checked", plainWord(reason, "file")), reason), reason);
}

std::string notRead(const Reason& reason)
{
    return ofRun(withSaid(Words::tr("It cannot be read"), reason), reason);
}

constexpr auto kSentences = std::to_array<Sentence>({
    {why::kKeptRuns, Words::noop("It runs. Cancel it first.")},
    {why::kKeptWaits, Words::noop("Its job waits to begin. Cancel it first.")},
    {why::kKeptByHand, Words::noop("It waits to be submitted by hand. Cancel it to remove it.")},
    {why::kKeptUnread, unread},
    {why::kNotEnded, Words::noop("Its campaign has not ended.")},
    {why::kProgramRuns, Words::noop("It runs on this machine.")},
    {why::kBeingBuilt, Words::noop("It is being built.")},
    {why::kBeingInstalled, Words::noop("It is being installed.")},
    {why::kNeededBy, neededBy, "campaign"},
    {why::kMayNeed, mayNeed, "campaign"},
    {why::kBuiltWith, builtWith, "worker"},
    {why::kOtherStore, Words::noop("It belongs to another store: name that one (--store) to remove it.")},
    {why::kNotRingsides, Words::noop("It is not Ringside's.")},
    {why::kNotSeen, notSeen},
    {why::kNotDeleted, notDeleted},
    {why::kNotStored, notStored, "file"},
    {why::kJournalNotStored, journalNotStored},
    {why::kNotChecked, notChecked, "file"},
    {why::kNotRead, notRead},
});

} // namespace

std::span<const Sentence> keptSentences()
{
    return kSentences;
}

} // namespace ringside::jobs
