// SPDX-License-Identifier: MIT
#include "core/report/names.h"

#include "core/base/words.h"
#include "core/spec/schema.h"

namespace ringside::report {
namespace {

constexpr std::array<std::string_view, kPhaseCount> kTitles = {
    Words::noop("Input wait"), Words::noop("Host to device"),         Words::noop("Forward"),
    Words::noop("Backward"),   Words::noop("Communication, exposed"), Words::noop("Update"),
    Words::noop("Other")};

bool onCpu(const Settings& settings)
{
    return textOf(settings, "device").value_or("cpu") == "cpu";
}

} // namespace

std::string factorName(std::string_view key, const Settings& settings)
{
    if (key == "ranks")
        return onCpu(settings) ? Words::noop("CPU ranks") : Words::noop("GPUs");
    return spec::labelOf(key);
}

std::string ranksText(const Settings& settings)
{
    const auto ranks = integerOf(settings, "ranks").value_or(1);
    return fmt::format("{} {}{}", ranks, onCpu(settings) ? "CPU rank" : "GPU", ranks == 1 ? "" : "s");
}

std::string shownRanksText(const Settings& settings)
{
    const auto ranks = static_cast<std::uint64_t>(integerOf(settings, "ranks").value_or(1));
    return onCpu(settings) ? Words::counted("{} CPU ranks", "{} CPU rank", ranks)
                           : Words::counted("{} GPUs", "{} GPU", ranks);
}

std::string_view titleOf(Phase phase)
{
    return kTitles[static_cast<std::size_t>(phase)];
}

} // namespace ringside::report
