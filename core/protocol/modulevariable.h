// SPDX-License-Identifier: MIT
// A user's own script does not know which system it stands for. Its table names the module to the processes that it
// starts, whose records (agent/drivers/ringside_records.py) report the versions that are loaded.
#pragma once

namespace ringside {

/// The environment variable that holds the module of a system whose version is that of the system: "horovod.torch" has
/// that of horovod. Unset where its table names none.
inline constexpr const char* kModuleVariable = "RINGSIDE_MODULE";

} // namespace ringside
