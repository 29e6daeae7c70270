// SPDX-License-Identifier: MIT
// What a real Slurm answered.
#pragma once

#include "core/base/files.h"
#include "tests/support/built.h"

namespace ringside::test {

inline std::string recorded(const char* name)
{
    return *readFile(sourceFolder() / "tests/jobs/schedulers/slurm/recorded" / name);
}

} // namespace ringside::test
