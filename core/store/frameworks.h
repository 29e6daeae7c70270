// SPDX-License-Identifier: MIT
// The frameworks that systems compute with, and where their versions are among the facts of a run.
#pragma once

#include "core/store/rows.h"

#include <string_view>

namespace ringside::store {

struct Framework
{
    std::string_view fact;   ///< by which its version goes, and its name in facts.json
    std::string_view engine; ///< that it is itself
    std::string RunFacts::*version;
};

inline constexpr Framework kFrameworks[] = {{"torch", "pytorch", &RunFacts::torch},
                                            {"mxnet", "mxnet", &RunFacts::mxnet},
                                            {"tensorflow", "tensorflow", &RunFacts::tensorflow}};

} // namespace ringside::store
