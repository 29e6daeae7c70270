// SPDX-License-Identifier: MIT
// Gradients of a GPU, as libtorch launches them and as a CUDA graph, against those of the CPU.
#include "agent/worker/device/device.h"
#include "agent/worker/cuda/pluginloader.h"
#include "agent/worker/graphedstep.h"
#include "agent/worker/selftest/plangradients.h"
#include "agent/worker/selftest/selftest.h"

#include <fmt/format.h>

namespace ringside {

namespace {

constexpr double kTolerance = 1e-3; // of fp32, by other kernels in another order
constexpr int kBatch = 4;

TrainSettings settingsOn(c10::Device device)
{
    TrainSettings settings = smallProblem(*findModel("lenet"), kBatch, 0, 1);
    settings.device = device;
    setMath(settings);
    return settings;
}

CheckResult against(const std::vector<at::Tensor>& cpu, const std::vector<at::Tensor>& device)
{
    const double error = worstError(cpu, device);
    return passedIf(error <= kTolerance, fmt::format("relative error {:.1e}, at most {:.0e}", error, kTolerance));
}

Result<c10::Device> firstGpu()
{
    TRY(cuda::gpuCount());
    return openDevice(c10::kCUDA, 0);
}

CheckResult gpuGradients()
{
    const auto gpu = firstGpu();
    return gpu ? gradientsOn(*gpu) : skipped(gpu.error().message);
}

CheckResult graphGradients()
{
    const auto gpu = firstGpu();
    if (!gpu)
        return skipped(gpu.error().message);
    auto graph = makeCudaGraph();
    return graph ? graphGradientsOn(*gpu, std::move(*graph)) : skipped(graph.error().message);
}

} // namespace

CheckResult gradientsOn(c10::Device device)
{
    return against(gradientsOf(settingsOn(c10::kCPU)), gradientsOf(settingsOn(device)));
}

CheckResult graphGradientsOn(c10::Device device, std::unique_ptr<DeviceGraph> graph)
{
    const TrainSettings settings = settingsOn(device);
    Classifier classifier(settings);
    classifier.moveTo(device);
    GraphedStep step(classifier, std::move(graph));
    const auto source = openBatchSource(settings.data);
    classifier.load((*source)->next().value());
    step.run(1, [](std::size_t) {});
    return against(gradientsOf(settingsOn(c10::kCPU)), hostGradients(classifier.model()));
}

std::vector<Check> deviceChecks()
{
    return {{"gradients on the GPU", gpuGradients}, {"gradients of a CUDA graph", graphGradients}};
}

} // namespace ringside
