// SPDX-License-Identifier: MIT
#include "agent/worker/calibrate/gpurates.h"

#include "agent/worker/collectives/repeat.h"
#include "agent/worker/device/streams.h"
#include "core/base/clock.h"

#include <ATen/ATen.h>
#include <algorithm>

namespace ringside {

namespace {

constexpr double kPiece = 2e-3;    // s between two events: far longer than one is off
constexpr std::size_t kFewest = 3; // pieces
constexpr int kMost = 1'000;       // calls of a piece
constexpr std::int64_t kSmallest = 1024, kLargest = 8192;
constexpr double kLongEnough = 1e-3; // s of a product
constexpr std::int64_t kMemoryBytes = 256 << 20, kCopyBytes = 64 << 20;

using Work = std::function<void()>;
using std::chrono::milliseconds;

/// Seconds that the current stream needs for one of `calls`. Waits for it.
double deviceSeconds(c10::Device device, int calls, const Work& enqueue)
{
    c10::Event first = timedEvent(device), last = timedEvent(device);
    first.record(currentStream(device));
    for (int i = 0; i < calls; ++i)
        enqueue();
    last.record(currentStream(device));
    last.synchronize();
    return static_cast<double>(nsBetween(first, last)) / 1e9 / calls;
}

/// After two that do not count: in the first, libraries choose and load their kernels.
double medianDeviceSeconds(c10::Device device, milliseconds budget, const Work& enqueue)
{
    deviceSeconds(device, 1, enqueue);
    const double once = std::max(deviceSeconds(device, 1, enqueue), 1e-9);
    const int calls = static_cast<int>(std::clamp(kPiece / once, 1.0, static_cast<double>(kMost)));
    std::vector<double> pieces;
    const auto end = monotonicNs() + toNs(budget);
    while (pieces.size() < kFewest || monotonicNs() < end)
        pieces.push_back(deviceSeconds(device, calls, enqueue));
    return median(std::move(pieces));
}

at::Tensor floatsOn(c10::Device device, std::int64_t bytes)
{
    return at::ones({bytes / static_cast<std::int64_t>(sizeof(float))}, device);
}

at::Tensor pinnedFloats(std::int64_t bytes)
{
    const auto pinned = at::TensorOptions(at::kFloat).pinned_memory(true);
    return at::empty({bytes / static_cast<std::int64_t>(sizeof(float))}, pinned).fill_(1);
}

/// The rate of one direction.
double copyRate(c10::Device device, milliseconds budget, const at::Tensor& from, at::Tensor to)
{
    constexpr bool asynchronous = true;
    const double seconds = medianDeviceSeconds(device, budget, [&] { to.copy_(from, asynchronous); });
    return static_cast<double>(from.nbytes()) / seconds;
}

} // namespace

double deviceGemmRate(c10::Device device, c10::ScalarType type, bool tf32, milliseconds budget)
{
    const at::NoGradGuard noGrad;
    at::globalContext().setAllowTF32CuBLAS(tf32);
    for (std::int64_t n = kSmallest;; n *= 2) {
        const auto a = at::rand({n, n}, device).to(type), b = at::rand({n, n}, device).to(type);
        auto product = at::empty_like(a);
        const Work multiply = [&] { at::mm_out(product, a, b); };
        deviceSeconds(device, 1, multiply);
        if (n < kLargest && deviceSeconds(device, 1, multiply) < kLongEnough)
            continue;
        return 2.0 * static_cast<double>(n * n * n) / medianDeviceSeconds(device, budget, multiply);
    }
}

double deviceMemoryRate(c10::Device device, milliseconds budget)
{
    const at::Tensor from = floatsOn(device, kMemoryBytes);
    return 2 * copyRate(device, budget, from, at::empty_like(from));
}

double toDeviceRate(c10::Device device, milliseconds budget)
{
    return copyRate(device, budget, pinnedFloats(kCopyBytes), floatsOn(device, kCopyBytes));
}

double toHostRate(c10::Device device, milliseconds budget)
{
    return copyRate(device, budget, floatsOn(device, kCopyBytes), pinnedFloats(kCopyBytes));
}

} // namespace ringside
