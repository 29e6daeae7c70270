// SPDX-License-Identifier: MIT
// A stand-in for CUDA's runtime: "device" memory is the host's, and a stream is a thread that works off what it was
// given. It lets the plug-in's own code run where no GPU is. It proves nothing about CUDA or NCCL.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>

namespace standin {

/// Puts this behind what the stream has to do.
void enqueue(cudaStream_t stream, std::function<void()> work);

} // namespace standin

extern "C" {
/// Memory of the device that was made elsewhere, and is given back there: the stand-in for a GPU that computes has its
/// own (tests/worker/device).
void standinHasMemory(const void* memory, std::size_t bytes);
void standinHadMemory(void* memory);
/// Functions for events that cudaStreamWaitEvent gets and has not made itself: `await` waits until it has happened,
/// `hold` gives what `await` takes, as the event was last recorded.
void standinHasEvents(std::shared_ptr<void> (*hold)(void* event), void (*await)(void* held));
/// Puts this behind what the stream (a cudaStream_t) has to do.
void standinEnqueue(void* stream, std::function<void()> work);
/// From now on the GPU answers that a kernel has failed on it, or no more.
void standinFail(bool fails);
/// By cudaMemcpyAsync so far.
std::uint64_t standinCopiedBytes();
}
