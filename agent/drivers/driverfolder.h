// SPDX-License-Identifier: MIT
// The drivers of systems (README.md beside this file), which the agent carries with it, as files on its site.
#pragma once

#include "core/base/files.h"

#include <string_view>
#include <vector>

namespace ringside {

struct DriverFile
{
    std::string_view name, text;
};
/// As they lie beside this file.
const std::vector<DriverFile>& driverFiles();

/// A folder below the site's root that holds them, named by what is in them, so that those of several versions lie side
/// by side. Made where it is not there, by whichever process comes first. Blocking, milliseconds.
Result<fs::path> driverFolder(const fs::path& root);

/// Below it: a folder that holds only ringside_records.py, for a user's own script, which may have modules of the other
/// names.
inline constexpr const char* kRecordsFolder = "records";

} // namespace ringside
