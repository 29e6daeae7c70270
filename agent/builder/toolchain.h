// SPDX-License-Identifier: MIT
// The tools that build the worker: compiler, CMake, make or ninja, and the libraries whose versions decide the result.
#pragma once

#include "agent/builder/process.h"

namespace ringside::builder {

struct Tool
{
    std::string path; ///< empty: not there
    std::string version;
};

struct Toolchain
{
    Tool compiler;         ///< g++ 11 or later
    Tool cmake;            ///< 3.18 or later
    std::string generator; ///< of CMake: "Ninja" or "Unix Makefiles"
    std::string maker;     ///< its program
    Tool mpi;              ///< mpicc, and what mpirun calls itself
    Tool cuda;             ///< nvcc
};

/// From $CXX and $PATH, and for compilers /opt/rh. Fails with unavailable and what to load or install.
Result<Toolchain> findToolchain(const Deadline& deadline);

/// The linker's option that lets programs find this compiler's libstdc++ where it is not the system's; empty else.
std::string runtimePathOption(const Tool& compiler, const Deadline& deadline);

/// The numbers at the beginning of a version: {12, 2} of "12.2.0"; zeros where there are none.
std::pair<int, int> versionNumbers(std::string_view version);

} // namespace ringside::builder
