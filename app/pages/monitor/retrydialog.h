// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/shell/shell.h"
#include "core/conductor/conductor.h"

#include <functional>

namespace ringside {

/// Calls `launch`: at once for this computer, after a look at what is submitted for other sites, or never.
void retry(const PageContext& context, QWidget* parent, const LaunchRequest& request,
           std::function<void(const LaunchRequest&)> launch);

} // namespace ringside
