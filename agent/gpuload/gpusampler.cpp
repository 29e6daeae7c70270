// SPDX-License-Identifier: MIT
#include "agent/gpuload/gpusampler.h"

#include "agent/rank/procfile.h"
#include "core/base/clock.h"

#include <algorithm>

namespace ringside {

namespace {

/// More processes than that on one GPU are counted as so many.
constexpr unsigned kMostProcesses = 256;

/// A little less than a second, so that at one reading a second each has its own.
constexpr std::int64_t kPciePeriodNs = 900'000'000;

/// The function's value; 0 if it fails, or if this driver has no such function.
template <class Value, class... Arguments, class... Given>
Value valueOf(int (*function)(Arguments...), nvml::Device device, Given... given)
{
    Value value{};
    return function && function(device, given..., &value) == 0 ? value : Value{};
}

/// Returns the GPU memory that it uses; 0 where NVML does not say.
std::uint64_t toldBytes(const nvml::Process& process)
{
    return process.usedMemory != nvml::kMemoryUnknown ? process.usedMemory : 0;
}

} // namespace

Result<GpuSampler> GpuSampler::open(const std::string& pciBus, pid_t rank)
{
    TRY_ASSIGN(const nvml::Library nvml, nvml::Library::load());
    nvml::Device device = nullptr;
    if (const int error = nvml.handleByPciBus(pciBus.c_str(), &device); error != 0)
        return fail(
            ErrorCode::unavailable,
            fmt::format("NVML knows no GPU at {} (error {} of nvmlDeviceGetHandleByPciBusId_v2).", pciBus, error));
    return GpuSampler(nvml, device, rank);
}

Result<std::vector<GpuSampler>> GpuSampler::openAll(pid_t rank)
{
    TRY_ASSIGN(const nvml::Library nvml, nvml::Library::load());
    unsigned count = 0;
    if (!nvml.count || !nvml.handleByIndex || nvml.count(&count) != 0)
        return fail(ErrorCode::unavailable, "NVML does not list the GPUs.");
    std::vector<GpuSampler> gpus;
    for (unsigned i = 0; i < count; ++i)
        if (nvml::Device device = nullptr; nvml.handleByIndex(i, &device) == 0)
            gpus.push_back(GpuSampler(nvml, device, rank));
    if (gpus.empty())
        return fail(ErrorCode::notFound, "NVML lists no GPU.");
    return gpus;
}

GpuSampler::GpuSampler(const nvml::Library& nvml, nvml::Device device, pid_t rank)
    : m_nvml(nvml)
    , m_device(device)
    , m_rank(rank)
    , m_session(getsid(0))
    , m_sent(nvlinkBytes(nvml::kNvlinkSent))
    , m_received(nvlinkBytes(nvml::kNvlinkReceived))
{
}

GpuTelemetry GpuSampler::sample()
{
    GpuTelemetry telemetry;
    telemetry.atNs = monotonicNs();
    telemetry.busyShare = float(valueOf<nvml::Utilization>(m_nvml.utilization, m_device).gpu) / 100;
    const auto memory = valueOf<nvml::Memory>(m_nvml.memory, m_device);
    telemetry.memoryUsedBytes = memory.used;
    telemetry.memoryBytes = memory.total;
    telemetry.powerMilliwatts = valueOf<unsigned>(m_nvml.power, m_device);
    telemetry.smMegahertz = valueOf<unsigned>(m_nvml.clock, m_device, nvml::kClockSm);
    telemetry.memoryMegahertz = valueOf<unsigned>(m_nvml.clock, m_device, nvml::kClockMemory);
    telemetry.clockReasons = valueOf<unsigned long long>(m_nvml.clockReasons, m_device);
    fillLinks(telemetry);
    fillForeign(telemetry);
    return telemetry;
}

void GpuSampler::fillLinks(GpuTelemetry& telemetry)
{
    const auto bytesPerSecond = [&](int direction) {
        return std::uint64_t{valueOf<unsigned>(m_nvml.pcie, m_device, direction)} * 1000;
    };
    if (m_pcieAtNs == 0 || telemetry.atNs - m_pcieAtNs >= kPciePeriodNs) {
        m_pcieAtNs = telemetry.atNs;
        m_pcieSent = bytesPerSecond(nvml::kPcieSent);
        m_pcieReceived = bytesPerSecond(nvml::kPcieReceived);
    }
    telemetry.pcieSentPerSecond = m_pcieSent;
    telemetry.pcieReceivedPerSecond = m_pcieReceived;
    telemetry.nvlinkSentBytes = m_sent(nvlinkBytes(nvml::kNvlinkSent));
    telemetry.nvlinkReceivedBytes = m_received(nvlinkBytes(nvml::kNvlinkReceived));
}

std::uint64_t GpuSampler::Since::operator()(std::optional<std::uint64_t> now)
{
    if (m_begin && now && *now >= *m_begin)
        m_bytes = *now - *m_begin;
    return m_bytes;
}

std::optional<std::uint64_t> GpuSampler::nvlinkBytes(unsigned field) const
{
    nvml::FieldValue value{};
    value.fieldId = field;
    value.scopeId = nvml::kAllLinks;
    const bool told = m_nvml.fields && m_nvml.fields(m_device, 1, &value) == 0 && value.result == 0 &&
                      value.valueType == nvml::kWholeNumber;
    return told ? std::optional<std::uint64_t>(value.value.whole * 1024) : std::nullopt;
}

/// Fails with noSpace where there are more than are counted.
Result<std::vector<nvml::Process>> GpuSampler::processes() const
{
    std::vector<nvml::Process> processes(kMostProcesses);
    unsigned count = kMostProcesses;
    const int error = m_nvml.processes ? m_nvml.processes(m_device, &count, processes.data()) : nvml::kNotSupported;
    if (error != 0)
        return fail(error == nvml::kTooMany ? ErrorCode::noSpace : ErrorCode::unavailable,
                    "NVML does not list the processes.");
    processes.resize(std::min(count, kMostProcesses));
    return processes;
}

bool GpuSampler::isOfRank(const nvml::Process& process) const
{
    return isOrDescendsFrom(pid_t(process.pid), m_rank);
}

/// 0 is a process of which this one can see nothing.
bool GpuSampler::isForeign(const nvml::Process& process) const
{
    return process.pid == 0 || (getsid(pid_t(process.pid)) != m_session && !isOfRank(process));
}

std::optional<std::uint64_t> GpuSampler::memoryOfRank() const
{
    std::optional<std::uint64_t> bytes;
    if (const auto all = processes())
        for (const nvml::Process& process : *all)
            if (isOfRank(process))
                bytes = bytes.value_or(0) + toldBytes(process);
    return bytes;
}

void GpuSampler::fillForeign(GpuTelemetry& telemetry) const
{
    const auto all = processes();
    telemetry.foreignProcesses =
        !all && all.error().code == ErrorCode::noSpace ? kMostProcesses : GpuTelemetry::kUnknown;
    if (!all)
        return;
    const bool hasRank = std::ranges::any_of(*all, [this](const auto& process) { return isOfRank(process); });
    if (!hasRank && all->size() != 1)
        return; // which of them are ours is unknown
    telemetry.foreignProcesses = 0;
    if (!hasRank)
        return;
    for (const nvml::Process& process : *all) {
        if (!isForeign(process))
            continue;
        ++telemetry.foreignProcesses;
        telemetry.foreignMemoryBytes += toldBytes(process);
    }
}

} // namespace ringside
