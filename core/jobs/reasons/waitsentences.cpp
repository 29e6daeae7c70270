// SPDX-License-Identifier: MIT
#include "core/base/words.h"
#include "core/jobs/reasons/sentences.h"

#include <array>

namespace ringside::jobs {

namespace {

std::string busy(const Reason& reason)
{
    const std::string holder = plainWord(reason, "holder");
    if (holder.empty()) // whose name could not be written, as on a full disk
        return Words::tr("Waits until another campaign is over: one campaign at a time on this computer.");
    return reason.number("held").value_or(0)
               ? Words::tr("Waits until {}, which is held, is over: one campaign at a time on this computer.", holder)
               : Words::tr("Waits until {} is over: one campaign at a time on this computer.", holder);
}

std::string submitByHand(const Reason& reason)
{
    return Words::tr("Waits to be submitted by hand: {}", plainWord(reason, "command"));
}

std::string schedulerSilent(const Reason& reason)
{
    const std::string said = plainWord(reason, "said");
    return said.empty() ? Words::tr("{} does not answer.", schedulerTitle(reason))
                        : ended(Words::tr("{} does not answer: {}", schedulerTitle(reason), said));
}

std::string otherCampaign(const Reason& reason)
{
    const std::string experiment = plainWord(reason, "experiment");
    return reason.number("held").value_or(0)
               ? Words::tr("Waits until another campaign has ended: {}, which is held.", experiment)
               : Words::tr("Waits until another campaign has ended: {}.", experiment);
}

constexpr auto kSentences = std::to_array<Sentence>({
    {why::kHeld, Words::noop("Held on request.")},
    {why::kBusy, busy},
    {why::kTimeUp, Words::noop("The time limit was reached; what did not fit was not begun.")},
    {why::kNotSubmitted, Words::noop("It was not submitted yet.")},
    {why::kSubmitByHand, submitByHand, "command"},
    {why::kNotStartedYet, Words::noop("It was not started yet.")},
    {why::kRunnerElsewhere, Words::noop("Its runner is on another machine.")},
    {why::kNoRunner, Words::noop("Its runner died.")},
    {why::kRootBlank, Words::noop("The root of its site holds no campaigns.")},
    {why::kSchedulerSilent, schedulerSilent, "scheduler"},
    {why::kBeingCancelled, Words::noop("Is cancelled as soon as its site knows.")},
    {why::kExperimentHeld, Words::noop("Is held: it begins once the experiment is continued.")},
    {why::kOtherCampaign, otherCampaign, "experiment"},
    {why::kHandover, Words::noop("Waits until it is handed to its site.")},
    {why::kConfirmation, Words::noop("Waits until its site has confirmed the launch.")},
    {why::kHandSubmission, Words::noop("Waits to be submitted by hand, as far as is known.")},
    {why::kContact, Words::noop("Waits for contact with its site.")},
    {why::kTurn, Words::noop("Waits for its turn: a campaign does one run after the other.")},
});

} // namespace

std::span<const Sentence> waitSentences()
{
    return kSentences;
}

} // namespace ringside::jobs
