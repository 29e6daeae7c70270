// SPDX-License-Identifier: MIT
// The torch that the worker is built against: found, and tried, before minutes are spent on compiling.
#pragma once

#include "agent/builder/toolchain.h"

#include <optional>

namespace ringside::builder {

struct Torch
{
    fs::path folder;     ///< with include/ and lib/
    std::string version; ///< "2.11.0+cu130"
};

/// `path` itself, or torch/ below it.
std::optional<Torch> torchAt(const fs::path& path);

/// Fails with unavailable where the system is too old for any ready-made torch that would do, and says what would.
Result<void> checkSystem(const Deadline& deadline);

/// In this order: `wanted` alone, if given; <root>/torch/*, the latest version first; the torch of python3 in PATH.
/// Fails with unavailable and a way to get one.
Result<Torch> findTorch(const fs::path& root, const std::string& wanted, const Deadline& deadline);

/// Links a program of one line with torch in `scratch` and runs it. Fails if the system is too old for that torch, or
/// if something of it is missing.
Result<void> tryTorch(const Torch& torch, const Toolchain& tools, const fs::path& scratch, const Deadline& deadline);

/// Explains the dynamic loader's complaint.
Error loaderError(const Torch& torch, const std::string& said);

} // namespace ringside::builder
