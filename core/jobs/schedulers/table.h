// SPDX-License-Identifier: MIT
// All schedulers that there are. A further one is a folder beside this file and an entry in table.cpp.
#pragma once

#include "core/jobs/scheduler.h"

#include <span>

namespace ringside::jobs {

/// The usual one first: it is meant where an older file names none.
std::span<const Scheduler* const> schedulers();
/// nullptr if there is none of that name.
const Scheduler* schedulerNamed(std::string_view name);

/// The way in which a campaign reaches a scheduler. As a word, in the campaign's folder, on the wire and in the store:
/// the scheduler's name, with "_by_hand" behind it or without; empty: there is no scheduler, and the runner is started
/// at once.
struct Submitter
{
    const Scheduler* scheduler = nullptr; ///< none
    bool byHand = false;                  ///< a person submits the script, not Ringside
    std::string word() const;
};
/// Fails with usage for a word of no known scheduler.
Result<Submitter> submitterOf(std::string_view word);

/// Returns the command that a person types to submit a script.
std::string typedSubmission(const Scheduler& scheduler, const std::string& script);

} // namespace ringside::jobs
