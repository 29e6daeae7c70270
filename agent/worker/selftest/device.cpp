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

constexpr int kBatch = 4;

TrainSettings settingsOn(c10::Device device, const DeviceMath& math = {})
{
    TrainSettings settings = smallProblem(*findModel("lenet"), kBatch, 0, 1);
    settings.device = device;
    settings.precision = math.precision;
    settings.tf32 = math.tf32;
    settings.channelsLast = settings.data.channelsLast = math.channelsLast;
    settings.cudnnBenchmark = math.cudnnBenchmark;
    setMath(settings);
    return settings;
}

CheckResult against(const std::vector<at::Tensor>& cpu, const std::vector<at::Tensor>& device, double tolerance)
{
    const double error = relativeError(cpu, device);
    return passedIf(error <= tolerance, fmt::format("relative error {:.1e}, at most {:.0e} (worst tensor {:.1e})",
                                                    error, tolerance, worstError(cpu, device)));
}

Result<c10::Device> firstGpu()
{
    TRY(cuda::gpuCount());
    return openDevice(c10::kCUDA, 0);
}

template <DeviceMath math> CheckResult gpuGradients()
{
    const auto gpu = firstGpu();
    return gpu ? gradientsOn(*gpu, math) : withoutIt(gpu.error());
}

CheckResult graphGradients()
{
    const auto gpu = firstGpu();
    if (!gpu)
        return withoutIt(gpu.error());
    auto graph = makeCudaGraph();
    return graph ? graphGradientsOn(*gpu, std::move(*graph)) : withoutIt(graph.error());
}

} // namespace

CheckResult gradientsOn(c10::Device device, const DeviceMath& math)
{
    const auto right = gradientsOf(settingsOn(c10::kCPU));
    return against(right, gradientsOf(settingsOn(device, math)), math.tolerance);
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
    return against(gradientsOf(settingsOn(c10::kCPU)), hostGradients(classifier.model()), DeviceMath{}.tolerance);
}

std::vector<Check> deviceChecks()
{
    return {{"gradients on the GPU", gpuGradients<DeviceMath{}>},
            {"gradients on the GPU in TF32", gpuGradients<DeviceMath{.tf32 = true, .tolerance = 1e-2}>},
            {"gradients on the GPU in bf16", gpuGradients<DeviceMath{.precision = Precision::bf16, .tolerance = 5e-2}>},
            {"gradients on the GPU, channels_last and autotuned",
             gpuGradients<DeviceMath{.channelsLast = true, .cudnnBenchmark = true}>},
            {"gradients of a CUDA graph", graphGradients}};
}

} // namespace ringside
