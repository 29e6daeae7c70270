// SPDX-License-Identifier: MIT
#include "core/sites/sitestep.h"

#include "core/base/words.h"

namespace ringside {

namespace {

constexpr std::array<std::string_view, kSiteSteps.size()> kNames = {
    "reach", "host_key", "sign_in", "agent", "scheduler", "storage", "compute_node", "mpi", "worker"};
constexpr std::array<std::string_view, 5> kStates = {"running", "ok", "warning", "failed", "not_tried"};
constexpr std::array<const char*, kSiteSteps.size()> kTitles = {
    Words::noop("Reach"),       Words::noop("Verify host key"), Words::noop("Authenticate"), Words::noop("Start agent"),
    Words::noop("Scheduler"),   Words::noop("Storage"),         Words::noop("Compute node"), Words::noop("MPI"),
    Words::noop("Worker build")};

} // namespace

std::string_view nameOf(SiteStep::Kind kind)
{
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view nameOf(SiteStep::State state)
{
    return kStates[static_cast<std::size_t>(state)];
}

std::string titleOf(SiteStep::Kind kind)
{
    return Words::translated(kTitles[static_cast<std::size_t>(kind)]);
}

} // namespace ringside
