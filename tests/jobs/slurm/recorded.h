// SPDX-License-Identifier: MIT
// What a real Slurm answered.
#pragma once

#include "core/base/files.h"

namespace ringside::test {

inline std::string recorded(const char* name)
{
    return *readFile(fs::path(RINGSIDE_SOURCE) / "tests/jobs/slurm/recorded" / name);
}

} // namespace ringside::test
