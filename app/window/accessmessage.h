// SPDX-License-Identifier: GPL-3.0-or-later
// The window's message about its database on every page: none, "read only, and by whom it is written" or why it cannot
// be, or why it cannot be opened.
#pragma once

#include "app/widgets/messagebar.h"

namespace ringside {

class Session;

/// Empty text: nothing to say. The button calls `chooseFolder` or tries again.
Message accessMessage(Session& session, std::function<void()> chooseFolder);

} // namespace ringside
