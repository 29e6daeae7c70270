// SPDX-License-Identifier: MIT
// `ringside-agent build`: the worker of this site, built where needed, used again where it can be.
#pragma once

#include "agent/builder/workerbuild.h"

namespace ringside::builder {

struct BuildOptions
{
    fs::path root;
    fs::path source;                  ///< the bundle
    std::string sourceHash;           ///< what it has to be (SHA-256); empty: whatever it is
    std::string torch;                ///< folder; empty: looked for
    std::vector<std::string> modules; ///< loaded first
    bool installTorch = false;        ///< install one for Ringside alone if there is none
    int jobs = 0;                     ///< compilers at a time; 0: by cores and memory
    std::chrono::seconds limit = std::chrono::minutes(60);
};

/// Blocking, at most `limit`. Safe to run twice at once, and to kill at any moment: what is there is always whole.
Result<BuiltWorker> build(const BuildOptions& options, const Report& report);

} // namespace ringside::builder
