// SPDX-License-Identifier: MIT
// A system that is installed on a site: engines/<name>/engine.json below its root, written last, so that what has one
// is whole.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ringside {

struct InstalledEngine
{
    std::string version;
    std::string python;                     ///< absolute; empty: it has no interpreter
    std::string folder = {};                ///< that holds the file; not in it
    std::vector<std::string> packages = {}; ///< as they were installed
    bool operator==(const InstalledEngine&) const = default;
};

/// By name. What cannot be read is passed over. Blocking, milliseconds.
std::map<std::string, InstalledEngine> installedEngines(const fs::path& root);
Result<void> writeInstalledEngine(const fs::path& folder, const InstalledEngine& engine);

/// Of several, by name: as a probe tells them.
std::string installedEnginesToJson(const std::map<std::string, InstalledEngine>& engines);
Result<std::map<std::string, InstalledEngine>> installedEnginesFromJson(std::string_view text);

} // namespace ringside
