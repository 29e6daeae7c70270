// SPDX-License-Identifier: MIT
// Answers of a real Slurm.
#pragma once

#include "core/base/files.h"
#include "tests/support/built.h"

namespace ringside::test {

inline std::string recorded(const char* name)
{
    return *readFile(sourceFolder() / "tests/jobs/schedulers/slurm/recorded" / name);
}

} // namespace ringside::test
