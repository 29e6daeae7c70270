// SPDX-License-Identifier: MIT
// The parts of Facts (core/protocol/facts.h) that do not need torch or MPI. Blocking file reads of /proc and /sys;
// never fails: what cannot be read is left out.
#pragma once

#include "core/base/files.h"
#include "core/protocol/facts.h"

#include <map>
#include <string>
#include <vector>

namespace ringside {

using FactMap = std::map<std::string, std::string>;

/// cpu, cores (online), memory, kernel, host, governor, turbo, virtualised, gpus, load_before_start … of this machine.
FactMap machineFacts();

inline constexpr const char* kGpuDriverFolder = "/proc/driver/nvidia";
/// The models of the GPUs that NVIDIA's driver shows, one for each GPU; empty where there is no driver.
std::vector<std::string> gpuModels(const fs::path& driver = kGpuDriverFolder);
/// "535.104.05"; empty where there is none.
std::string gpuDriverVersion(const fs::path& driver = kGpuDriverFolder);

/// Variables of this process that steer math libraries, MPI, NCCL and frameworks, as OMP_*, NCCL_*, TF_* and MXNET_*,
/// and those of the job (core/protocol/jobvariables.h). A child that is started with more variables has those `added`.
/// Left out: every name that contains a word like secret, token, key, password, credential or cookie, and every value
/// with an address that holds a password. Values are cut after 1,000 bytes.
FactMap environmentFacts(const FactMap& added = {});

/// ringside, compiler and libc. Torch, MPI and libjpeg-turbo are added by who links them.
FactMap versionFacts();

} // namespace ringside
