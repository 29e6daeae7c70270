// SPDX-License-Identifier: MIT
// The features of this worker: the parts built in and their versions. The editor offers only these.
#pragma once

#include <map>
#include <string>

namespace ringside {

/// torch and, if built in, mpi and jpeg; on a GPU cuda and cudnn: for Facts::versions.
std::map<std::string, std::string> engineVersions();

/// One JSON object: versions, mpi, tcp, jpeg, nccl (says nothing of GPUs), cuda (libtorch can compute on
/// GPUs), gpus (those here), devices, models, plans, precisions, layouts, data.
std::string featuresJson();

} // namespace ringside
