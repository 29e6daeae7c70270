// SPDX-License-Identifier: MIT
// The parts of Facts (core/protocol/facts.h) that do not need torch or MPI. Blocking file reads of /proc and /sys;
// never fails: what cannot be read is left out.
#pragma once

#include "core/protocol/facts.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace ringside {

using FactMap = std::map<std::string, std::string>;

/// cpu, cores (online), memory, kernel, host, governor, turbo, virtualised, load_before_start … of this machine.
FactMap machineFacts();

/// Variables OMP_*, OMPI_*, PMIX_MCA_*, MKL_*, KMP_*, GOMP_*, NCCL_*, CUDA_*, and those of the job
/// (core/protocol/jobvariables.h). Left out: every name that contains a word like secret, token, key, password,
/// credential or cookie. Values are cut after 1,000 bytes.
FactMap environmentFacts();

/// ringside, compiler and libc. Torch, MPI and libjpeg-turbo are added by who links them.
FactMap versionFacts();

/// True if environmentFacts may show a variable of this name.
bool isShownVariable(std::string_view name);

} // namespace ringside
