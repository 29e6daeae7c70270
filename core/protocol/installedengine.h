// SPDX-License-Identifier: MIT
// A system that is installed on a site: engines/<name>/engine.json below its root, written last, so that what has one
// is whole.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

struct Installation;

struct InstalledEngine
{
    std::string version;
    std::string python;                                  ///< absolute; empty: it has no interpreter
    std::string folder = {};                             ///< that holds the file; not in it
    std::vector<std::string> packages = {};              ///< as they were installed
    std::map<std::string, std::string> environment = {}; ///< that the modules set with which it runs
    bool isGone = false; ///< its interpreter was not there when it was looked for; not in it
    bool operator==(const InstalledEngine&) const = default;
};

/// A level of `engine`, and a folder: at most 40 small letters, digits, “-” and “_”.
bool isEngineName(std::string_view name);

/// Returns whether it works and has the packages that are to be installed: unless another interpreter or modules are
/// named, an installation leaves it as it is.
bool isAsWanted(const InstalledEngine& engine, const Installation& installation);

using InstalledEngines = std::map<std::string, InstalledEngine>; ///< by name

/// Passes over what cannot be read. Blocking, milliseconds.
InstalledEngines installedEngines(const fs::path& root);
Result<void> writeInstalledEngine(const fs::path& folder, const InstalledEngine& engine);

/// Writes several, by name, as a probe reports them.
std::string installedEnginesToJson(const InstalledEngines& engines);
Result<InstalledEngines> installedEnginesFromJson(std::string_view text);

} // namespace ringside
