// SPDX-License-Identifier: MIT
// Placeholders in an adapter's command besides settings and what a process knows: facts of the run and its site. The
// agent fills them in (core/jobs/programs/system.cpp).
#pragma once

#include "core/base/words.h"

#include <array>
#include <string_view>

namespace ringside::adapters {

struct SitePlaceholder
{
    std::string_view name, description;
    bool inArguments =
        true; ///< of a user's own script; false: only commands, which are made for a site, have its value
};

inline constexpr auto kSitePlaceholders = std::to_array<SitePlaceholder>({
    {"python", Words::noop("the interpreter that the system is installed for"), false},
    {"drivers", Words::noop("the folder of Ringside’s drivers")},
    {"environment", Words::noop("the folder that the system is installed in"), false},
    {"iterations", Words::noop("all iterations of the run, warm-up included")},
    {"warmup", Words::noop("its first iterations, which do not count")},
    {"seed", Words::noop("the seed of weights and data")},
    {"data_folder", Words::noop("the folder where synthetic files are kept")},
});

} // namespace ringside::adapters
