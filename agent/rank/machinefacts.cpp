// SPDX-License-Identifier: MIT
#include "agent/rank/machinefacts.h"

#include "core/base/environment.h"
#include "core/base/text.h"
#include "core/protocol/jobvariables.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <gnu/libc-version.h>
#include <sstream>
#include <sys/utsname.h>
#include <unistd.h>

namespace ringside {

namespace {

constexpr std::size_t kLongestValue = 1000; ///< bytes of an environment variable that are stored

/// The first line of a small file of /proc or /sys; empty if there is none.
std::string firstLine(const fs::path& path)
{
    std::string line;
    std::ifstream file(path);
    std::getline(file, line);
    return plainText(line.substr(0, kLongestValue));
}

/// The value of the first line "key : value".
std::string valueIn(const fs::path& path, std::string_view key)
{
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(':');
        if (!line.starts_with(key) || colon == line.npos)
            continue;
        const auto begin = line.find_first_not_of(" \t", colon + 1);
        return begin == line.npos ? std::string() : plainText(line.substr(begin, kLongestValue));
    }
    return {};
}

void add(FactMap& facts, const char* name, std::string value)
{
    if (!value.empty())
        facts[name] = std::move(value);
}

std::string cpuModel()
{
    const std::string model = valueIn("/proc/cpuinfo", "model name");
    return model.empty() ? valueIn("/proc/cpuinfo", "CPU part") : model; // ARM has no model name
}

std::string turbo()
{
    const std::string off = firstLine("/sys/devices/system/cpu/intel_pstate/no_turbo");
    if (!off.empty())
        return off == "0" ? "on" : "off";
    const std::string boost = firstLine("/sys/devices/system/cpu/cpufreq/boost");
    return boost.empty() ? "" : boost == "1" ? "on" : "off";
}

std::string virtualised()
{
    const std::string flags = " " + valueIn("/proc/cpuinfo", "flags") + " ";
    if (flags.find(" hypervisor ") == flags.npos)
        return "no";
    const std::string vendor = firstLine("/sys/class/dmi/id/sys_vendor");
    return vendor.empty() ? "yes" : "yes: " + vendor;
}

std::string memory()
{
    const std::string total = valueIn("/proc/meminfo", "MemTotal"); // "16303420 kB"
    return total.empty() ? "" : std::to_string(std::strtoull(total.c_str(), nullptr, 10) * 1024);
}

std::string upperCase(std::string_view text)
{
    std::string upper(text);
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return char(std::toupper(c)); });
    return upper;
}

/// Those that steer math libraries, OpenMP, MPI, NCCL and frameworks. The driver of a framework shows the same of its
/// process (agent/drivers/common.py), and tests/drivers/test_common.py compares both lists.
constexpr std::array kShownPrefixes = {"OMP_",    "KMP_",  "GOMP_",     "MKL_",   "OPENBLAS_",  "BLIS_",    "DNNL_",
                                       "ONEDNN_", "OMPI_", "PMIX_MCA_", "MPICH_", "MPIR_CVAR_", "I_MPI_",   "FI_",
                                       "UCX_",    "NCCL_", "GLOO_",     "CUDA_",  "CUDNN_",     "CUBLAS_",  "NVIDIA_",
                                       "TF_",     "XLA_",  "KERAS_",    "TORCH_", "PYTORCH_",   "HOROVOD_", "MXNET_",
                                       "DMLC_",   "PS_",   "JAX_",      "CNTK_"};

/// OMPI_MCA_orte_precondition_transports is a key between the ranks, too.
constexpr std::array kSecretWords = {
    "SECRET", "TOKEN", "KEY", "PASS", "CREDENTIAL", "COOKIE", "AUTH", "JWT", "PRECONDITION_TRANSPORTS"};

bool isShown(std::string_view name, const char* job)
{
    const std::string upper = upperCase(name);
    const auto begins = [&](const char* prefix) { return name.starts_with(prefix); };
    const auto holds = [&](const char* word) { return upper.find(word) != upper.npos; };
    return (std::ranges::any_of(kShownPrefixes, begins) || (job && *job && begins(job))) &&
           std::ranges::none_of(kSecretWords, holds);
}

/// In an address, as of a mirror: https://name:password@host.
bool holdsPassword(std::string_view value)
{
    constexpr std::string_view kBeforeHost = "://";
    for (auto at = value.find(kBeforeHost); at != value.npos; at = value.find(kBeforeHost, at)) {
        at += kBeforeHost.size();
        const auto end = value.find_first_of("/@ ", at);
        if (end != value.npos && value[end] == '@')
            return true;
    }
    return false;
}

} // namespace

FactMap machineFacts()
{
    FactMap facts;
    utsname kernel{};
    if (uname(&kernel) == 0) {
        add(facts, "host", kernel.nodename);
        add(facts, "kernel", fmt::format("{} {} {}", kernel.sysname, kernel.release, kernel.machine));
    }
    add(facts, "cpu", cpuModel());
    add(facts, "cores", std::to_string(sysconf(_SC_NPROCESSORS_ONLN)));
    add(facts, "memory", memory());
    add(facts, "smt", firstLine("/sys/devices/system/cpu/smt/active"));
    add(facts, "numa_nodes", firstLine("/sys/devices/system/node/online"));
    add(facts, "governor", firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
    add(facts, "turbo", turbo());
    add(facts, "huge_pages", firstLine("/sys/kernel/mm/transparent_hugepage/enabled"));
    add(facts, "virtualised", virtualised());
    add(facts, "gpus", fmt::format("{}", fmt::join(gpuModels(), ", ")));
    add(facts, "gpu_driver", gpuDriverVersion());
    add(facts, "load_before_start", firstLine("/proc/loadavg"));
    return facts;
}

std::vector<std::string> gpuModels(const fs::path& driver)
{
    std::vector<std::string> models;
    std::error_code ignored;
    for (auto gpu = fs::directory_iterator(driver / "gpus", ignored); gpu != fs::directory_iterator();
         gpu.increment(ignored))
        if (std::string model = valueIn(gpu->path() / "information", "Model"); !model.empty())
            models.push_back(std::move(model));
    std::ranges::sort(models);
    return models;
}

/// Finds 535.104.05 in "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 …".
std::string gpuDriverVersion(const fs::path& driver)
{
    std::istringstream words(valueIn(driver / "version", "NVRM version"));
    for (std::string word; words >> word;)
        if (std::isdigit(static_cast<unsigned char>(word.front())))
            return word;
    return {};
}

FactMap environmentFacts(const FactMap& added)
{
    FactMap facts;
    const auto found = added.find(kJobVariablesVariable);
    const char* job = found == added.end() ? environment(kJobVariablesVariable) : found->second.c_str();
    for (const std::string& entry : environmentWith(added)) {
        const std::string_view name = variableName(entry);
        if (name.size() == entry.size() || !isShown(name, job))
            continue;
        if (const std::string_view value = std::string_view(entry).substr(name.size() + 1); !holdsPassword(value))
            facts[std::string(name)] = plainText(value.substr(0, kLongestValue));
    }
    return facts;
}

FactMap versionFacts()
{
    FactMap facts = {
        {"ringside", RINGSIDE_VERSION}, {"compiler", "g++ " __VERSION__}, {"libc", gnu_get_libc_version()}};
#ifdef __clang__
    facts["compiler"] = __VERSION__;
#endif
    return facts;
}

} // namespace ringside
