// SPDX-License-Identifier: MIT
// Checks that a system that is installed on a site trains there: ten iterations on one rank and on two, by the real
// runner.
#pragma once

#include "core/base/error.h"
#include "core/conductor/conductoroptions.h"
#include "core/protocol/installation.h"
#include "core/sites/sitestep.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

namespace ringside {

/// Outcome of one step of it.
struct EngineCheckStep
{
    std::string title; ///< "Interpreter", "One rank"
    bool isWell = true;
    std::string text;
};

struct EngineCheck
{
    ConductorOptions programs; ///< of its store only the user's other settings count: the check has one of its own
    std::string site;
    std::string engine;                       ///< that experiments may name
    std::optional<Installation> installation; ///< nothing: it needs none
    std::function<void(const EngineCheckStep&)> onStep;
    std::function<void(const SiteStep&)> onSiteStep = {};  ///< while a site elsewhere is got ready
    std::chrono::seconds limit = std::chrono::minutes(30); ///< of both runs, the queue's wait included
};

/// The value: whether all was well. Runs and store are removed in the end. Blocking; cancelled once `stop` is asked
/// for.
Result<bool> checkEngine(const EngineCheck& check, std::stop_token stop = {});

} // namespace ringside
