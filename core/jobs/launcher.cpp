// SPDX-License-Identifier: MIT
#include "core/jobs/launcher.h"

namespace ringside::jobs {

bool Launcher::isOf(std::string_view) const
{
    return false;
}

std::string_view Launcher::pmi() const
{
    return "pmix";
}

} // namespace ringside::jobs
