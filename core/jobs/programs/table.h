// SPDX-License-Identifier: MIT
// All programs that there are. A further one: core/jobs/README.md.
#pragma once

#include "core/jobs/program.h"

#include <memory>
#include <span>

namespace ringside::jobs {

/// Those of Ringside's own, in the order of their table (core/protocol/ownprograms.h).
std::span<const Program* const> programs();
/// Ringside's worker, as which it trains.
const Program& training();
/// Returns the program of a configuration or run with these settings, among Ringside's own. Where `engine` is absent,
/// or none of them: its worker, which trains, as all systems do.
const Program& programOf(const Settings& settings);
/// The same, a system of the plan among them. The plan outlives it.
std::shared_ptr<const Program> programOf(const CampaignPlan& plan, const Settings& settings);
/// Returns the program of this name; Ringside's worker where there is none.
const Program& programNamed(std::string_view name);
/// Returns whether it is a program of Ringside's, no system that a plan describes.
bool isOwn(std::string_view name);
/// Explains an exit code other than 0: as the program says it, or the guard and every shell.
ExitMeaning meaningOf(const Program& program, int code);

} // namespace ringside::jobs
