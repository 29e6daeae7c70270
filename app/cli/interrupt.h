// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+C in commands that wait.
#pragma once

#include <atomic>

namespace ringside::cli {

/// From now on the first Ctrl+C makes interrupted() true, and a second one ends the program at once.
void watchForInterrupt();

/// True once Ctrl+C was pressed.
const std::atomic<bool>& interrupted();

} // namespace ringside::cli
