// SPDX-License-Identifier: MIT
#include "core/report/names.h"

#include "core/spec/schema.h"

namespace ringside::report {
namespace {

constexpr std::array<std::string_view, kPhaseCount> kTitles = {
    "Input wait", "Host to device", "Forward", "Backward", "Communication, exposed", "Update", "Other"};

bool onCpu(const Settings& settings)
{
    return textOf(settings, "device").value_or("cpu") == "cpu";
}

} // namespace

std::string factorName(std::string_view key, const Settings& settings)
{
    if (key == "ranks")
        return onCpu(settings) ? "CPU ranks" : "GPUs";
    return spec::labelOf(key);
}

std::string ranksText(const Settings& settings)
{
    const auto ranks = integerOf(settings, "ranks").value_or(1);
    return fmt::format("{} {}{}", ranks, onCpu(settings) ? "CPU rank" : "GPU", ranks == 1 ? "" : "s");
}

std::string_view titleOf(Phase phase)
{
    return kTitles[static_cast<std::size_t>(phase)];
}

} // namespace ringside::report
