// SPDX-License-Identifier: MIT
// The checks of this machine's first GPU; and its gradients, as libtorch launches them and as a CUDA graph, against
// those of the CPU.
#include "agent/worker/device/device.h"
#include "agent/worker/cuda/pluginloader.h"
#include "agent/worker/selftest/devicechecks.h"
#include "agent/worker/selftest/plangradients.h"
#include "agent/worker/train/graphedpasses.h"

#include <fmt/format.h>

namespace ringside {

namespace {

constexpr int kBatch = 4;

TrainSettings settingsOn(c10::Device device, const DeviceMath& math = {})
{
    TrainSettings settings = smallProblem(*findModel("lenet"), kBatch, 0, 1);
    settings.device = device;
    settings.precision = math.precision;
    settings.channelsLast = settings.data.channelsLast = math.channelsLast;
    setMath({math.tf32, math.cudnnBenchmark});
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

template <CheckResult (*check)(c10::Device)> CheckResult onGpu()
{
    const auto gpu = firstGpu();
    return gpu ? check(*gpu) : withoutIt(gpu.error());
}

template <DeviceMath math> CheckResult gradients(c10::Device gpu)
{
    return gradientsOn(gpu, math);
}

template <bool inDeviceMemory> CheckResult buckets(c10::Device gpu)
{
    return bucketsOn(gpu, inDeviceMemory);
}

CheckResult graphGradients(c10::Device gpu)
{
    auto graph = makeCudaGraph();
    return graph ? graphGradientsOn(gpu, std::move(*graph)) : withoutIt(graph.error());
}

CheckResult load(c10::Device)
{
    const auto gpu = cuda::gpuOf(0);
    return gpu ? loadOf(gpu->pciBus) : failed(gpu.error());
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
    GraphedPasses passes(classifier, std::move(graph));
    const auto source = openBatchSource(settings.data);
    classifier.load((*source)->next().value());
    passes.run(1, [](std::size_t) {});
    return against(gradientsOf(settingsOn(c10::kCPU)), hostGradients(classifier.model()), DeviceMath{}.tolerance);
}

std::vector<Check> deviceChecks()
{
    constexpr DeviceMath tf32{.tf32 = true, .tolerance = 1e-2};
    constexpr DeviceMath bf16{.precision = Precision::bf16, .tolerance = kBf16GradientTolerance};
    constexpr DeviceMath autotuned{.channelsLast = true, .cudnnBenchmark = true};
    return {{"gradients on the GPU", onGpu<gradients<DeviceMath{}>>},
            {"gradients on the GPU in TF32", onGpu<gradients<tf32>>},
            {"gradients on the GPU in bf16", onGpu<gradients<bf16>>},
            {"gradients on the GPU, channels_last and autotuned", onGpu<gradients<autotuned>>},
            {"gradients of a CUDA graph", onGpu<graphGradients>},
            {"fused SGD on the GPU", onGpu<updateOn>},
            {"the GPU's gradients through the host's memory", onGpu<buckets<false>>},
            {"the GPU's gradients where they are", onGpu<buckets<true>>},
            {"batches on their way to the GPU", onGpu<batchesOn>},
            {"phases by the GPU's events", onGpu<phasesOn>},
            {"times of layers on the GPU", onGpu<layersOn>},
            {"copies of the GPU", onGpu<copyRatesOn>},
            {"load of the GPU", onGpu<load>}};
}

} // namespace ringside
