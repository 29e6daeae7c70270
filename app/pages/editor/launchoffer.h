// SPDX-License-Identifier: GPL-3.0-or-later
// Shows what a launch of the experiment that was evaluated means, before anything is submitted.
#pragma once

#include "app/pages/editor/evaluation.h"
#include "app/shell/shell.h"

#include <functional>

namespace ringside {

/// The user's decision; at most one is called.
struct LaunchAnswers
{
    std::function<void(const LaunchRequest&)> launch;
    std::function<void(const QString& field)> goToField; ///< something is settled first
};

/// Opens a dialog over `parent` that deletes itself. Precondition: nothing blocks the launch.
void offerLaunch(const PageContext& context, QWidget* parent, const Evaluation& evaluation,
                 const LaunchRequest& request, const LaunchAnswers& answers);

} // namespace ringside
