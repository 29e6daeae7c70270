// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/files.h"

namespace ringside::test {

// The paths of this build and its source are defined for built.cpp alone: every other object of the tests is the same
// in each folder, and comes from the compiler cache there.

/// Returns the folder of the programs that users start: build/PRESET/bin.
fs::path builtPrograms();
/// The path of one of its programs, "ringside-agent".
std::string builtProgram(const std::string& name);
/// The path of what only tests use, below build/PRESET/tests: "testworker".
std::string testProgram(const std::string& name);
/// Returns the folder for the pictures of windows: build/PRESET/screenshots. It need not exist.
fs::path screenshotFolder();
/// The root of the source.
fs::path sourceFolder();

} // namespace ringside::test
