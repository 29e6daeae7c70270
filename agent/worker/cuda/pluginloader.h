// SPDX-License-Identifier: MIT
// The worker's side of the CUDA plug-in: is there a GPU, is there a plug-in, and do the two programs fit.
#pragma once

#include "agent/worker/cuda/plugin.h"
#include "core/base/files.h"

namespace ringside::cuda {

/// ringside-worker-cuda.so beside this program.
fs::path pluginFile();

/// True if this worker was built with it, on login nodes without GPUs, too.
bool hasPlugin();

/// GPUs that this process may use (CUDA_VISIBLE_DEVICES narrows them); at least one, or the reason why there is none:
/// notFound where the machine has no GPU or no driver, unavailable where the driver does not work. Starts the driver,
/// some 100 ms the first time.
Result<int> gpuCount();

/// The one that a rank of this place on its host uses: that of its place, where it sees several.
Result<Device> gpuOf(int localRank);

/// Its total memory, by the index that a Device has; 0 if the driver does not say.
std::uint64_t gpuMemoryBytes(int index);

/// Loads it, where a GPU is. It stays loaded. Fails as gpuCount, with notFound where the worker was built without it,
/// and with unavailable where it cannot be loaded or belongs to another worker.
Result<std::unique_ptr<Plugin>> loadPlugin();

} // namespace ringside::cuda
