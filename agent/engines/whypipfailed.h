// SPDX-License-Identifier: MIT
// Turns the output of a failed installation into an error with a remedy. Pure.
#pragma once

#include "agent/builder/process.h"
#include "core/protocol/installation.h"

namespace ringside::engines {

inline constexpr std::size_t kLinesShown = 8;

/// The packages of the system (Debian) that it needs, as a sentence.
std::string needs(const Installation& installation);

/// `what` was done: "Installing torch==2.11.0".
Error whyPipFailed(const std::string& what, const builder::Ended& ended, bool isDiskFull,
                   const Installation& installation);

} // namespace ringside::engines
