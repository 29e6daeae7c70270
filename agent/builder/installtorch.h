// SPDX-License-Identifier: MIT
// `ringside-agent install-torch`: torch for Ringside alone, below <root>/torch/, where the site has none. Needs python3
// with pip, 3.5 GB of space and a way to the internet.
#pragma once

#include "agent/builder/process.h"
#include "agent/builder/report.h"

namespace ringside::builder {

inline constexpr const char* kTorchVersion = "2.11.0";
inline constexpr std::uint64_t kTorchBytes = 3'000'000'000;
inline constexpr std::uint64_t kTorchDownloadBytes = 545'000'000; ///< which lie beside it until it is installed

/// The installed folder, which holds torch/. It appears by rename: an interrupted installation is begun anew. What pip
/// needs meanwhile lies beside it. Blocking.
Result<fs::path> installTorch(const fs::path& root, const std::string& version, const Deadline& deadline,
                              const Report& report);

} // namespace ringside::builder
