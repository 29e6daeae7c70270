// SPDX-License-Identifier: MIT
// One build of the worker: from the source bundle to a program that has proven that it runs.
#pragma once

#include "agent/builder/buildclaim.h"
#include "agent/builder/torch.h"

#include <map>

namespace ringside::builder {

/// The inputs of a worker: the same key, the same program.
struct Ingredients
{
    fs::path source; ///< the bundle
    std::string sourceHash;
    Torch torch;
    Toolchain tools;

    /// Names and values, as in worker.json.
    std::map<std::string, std::string> facts() const;
    /// 16 hexadecimal digits over all of it.
    std::string key() const;
};

/// The contents of workers/<key>/.
struct BuiltWorker
{
    fs::path program;
    std::string key;
    std::string features; ///< JSON, as `ringside-worker features` prints it
};

/// The features that the program itself reports. Fails if it does not run.
Result<std::string> featuresOf(const fs::path& program, const Deadline& deadline);

/// Unpacks, configures, compiles, runs. On success workers/<key>/ has the program and worker.json; build.log is there
/// in any case. Errors end with the last lines of the log.
Result<BuiltWorker> buildWorker(const Ingredients& ingredients, const BuildClaim& claim, const fs::path& worker,
                                int jobs, const Deadline& deadline, const Report& report);

/// 10 to 95 of "[3/60] Building …" (ninja) or "[ 20%] Building …" (make).
std::optional<int> compilePercent(std::string_view line);

} // namespace ringside::builder
