// SPDX-License-Identifier: MIT
// Slurm's short form of a list of hosts, as in SLURM_JOB_NODELIST.
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::slurm {

/// "n[1-3,07],login" -> n1 n2 n3 n07 login. Fails with damaged for what is none, and for more than 100,000 hosts.
Result<std::vector<std::string>> hostsOf(std::string_view list);

} // namespace ringside::slurm
