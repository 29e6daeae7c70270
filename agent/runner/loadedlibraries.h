// SPDX-License-Identifier: MIT
// Finds the libraries that a process computes and communicates with, for systems that do not report them.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace ringside::runner {

/// File names of the libraries of BLAS, MPI, NCCL, cuDNN and the like that a process has loaded, sorted; empty where it
/// has none, has ended or may not be read.
std::vector<std::string> loadedLibraries(pid_t process);

} // namespace ringside::runner
