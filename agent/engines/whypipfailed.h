// SPDX-License-Identifier: MIT
// Turns the output of a failed installation into an error with a remedy. Pure.
#pragma once

#include "core/base/error.h"
#include "core/protocol/installation.h"

#include <string>

namespace ringside::engines {

inline constexpr std::size_t kLinesShown = 8;

/// The packages of the system (Debian) that it needs, as a sentence.
std::string needs(const Installation& installation);

/// `what` was done: "Installing torch==2.11.0", with the packages of the folder `wheels` alone if that is named, for a
/// Python of that version.
Error whyPipFailed(const std::string& what, const std::string& output, bool isDiskFull,
                   const Installation& installation, const std::string& wheels = {}, const std::string& python = {});

} // namespace ringside::engines
