// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment that the editor begins with.
#pragma once

#include "app/session/preferences.h"

#include "core/spec/experiment.h"

namespace ringside {

/// AlexNet on one rank and on two, as often and as long as the user prefers.
spec::Experiment newExperiment(std::string name, const Preferences& preferences);

} // namespace ringside
