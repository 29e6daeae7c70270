// SPDX-License-Identifier: MIT
#include "core/base/words.h"
#include "core/jobs/reasons/sentences.h"

#include <array>

namespace ringside::jobs {

namespace {

std::string held(const Reason&)
{
    return Words::tr("Held on request.");
}

std::string busy(const Reason& reason)
{
    const std::string holder = plainWord(reason, "holder");
    if (holder.empty()) // whose name could not be written, as on a full disk
        return Words::tr("Waits until another campaign is over: one campaign at a time on this computer.");
    return reason.number("held").value_or(0)
               ? Words::tr("Waits until {}, which is held, is over: one campaign at a time on this computer.", holder)
               : Words::tr("Waits until {} is over: one campaign at a time on this computer.", holder);
}

std::string timeUp(const Reason&)
{
    return Words::tr("The time limit was reached; what did not fit was not begun.");
}

std::string notSubmitted(const Reason&)
{
    return Words::tr("It was not submitted yet.");
}

std::string submitByHand(const Reason& reason)
{
    return Words::tr("Waits to be submitted by hand: {}", plainWord(reason, "command"));
}

std::string notStartedYet(const Reason&)
{
    return Words::tr("It was not started yet.");
}

std::string runnerElsewhere(const Reason&)
{
    return Words::tr("Its runner is on another machine.");
}

std::string noRunner(const Reason&)
{
    return Words::tr("Its runner died.");
}

std::string schedulerSilent(const Reason& reason)
{
    const std::string said = plainWord(reason, "said");
    return said.empty() ? Words::tr("{} does not answer.", schedulerTitle(reason))
                        : ended(Words::tr("{} does not answer: {}", schedulerTitle(reason), said));
}

std::string beingCancelled(const Reason&)
{
    return Words::tr("Is cancelled as soon as its site knows.");
}

std::string experimentHeld(const Reason&)
{
    return Words::tr("Is held: it begins once the experiment is continued.");
}

std::string otherCampaign(const Reason& reason)
{
    const std::string experiment = plainWord(reason, "experiment");
    return reason.number("held").value_or(0)
               ? Words::tr("Waits until another campaign has ended: {}, which is held.", experiment)
               : Words::tr("Waits until another campaign has ended: {}.", experiment);
}

std::string handover(const Reason&)
{
    return Words::tr("Waits until it is handed to its site.");
}

std::string confirmation(const Reason&)
{
    return Words::tr("Waits until its site has confirmed the launch.");
}

std::string handSubmission(const Reason&)
{
    return Words::tr("Waits to be submitted by hand, as far as is known.");
}

std::string contact(const Reason&)
{
    return Words::tr("Waits for contact with its site.");
}

std::string turn(const Reason&)
{
    return Words::tr("Waits for its turn: a campaign does one run after the other.");
}

constexpr auto kSentences = std::to_array<Sentence>({
    {why::kHeld, held},
    {why::kBusy, busy},
    {why::kTimeUp, timeUp},
    {why::kNotSubmitted, notSubmitted},
    {why::kSubmitByHand, submitByHand, "command"},
    {why::kNotStartedYet, notStartedYet},
    {why::kRunnerElsewhere, runnerElsewhere},
    {why::kNoRunner, noRunner},
    {why::kSchedulerSilent, schedulerSilent, "scheduler"},
    {why::kBeingCancelled, beingCancelled},
    {why::kExperimentHeld, experimentHeld},
    {why::kOtherCampaign, otherCampaign, "experiment"},
    {why::kHandover, handover},
    {why::kConfirmation, confirmation},
    {why::kHandSubmission, handSubmission},
    {why::kContact, contact},
    {why::kTurn, turn},
});

} // namespace

std::span<const Sentence> waitSentences()
{
    return kSentences;
}

} // namespace ringside::jobs
