// SPDX-License-Identifier: MIT
#include "core/report/names.h"

#include "core/base/words.h"
#include "core/report/items.h"
#include "core/report/numbers.h"
#include "core/spec/schema.h"
#include "core/spec/systems.h"

#include <algorithm>

namespace ringside::report {
namespace {

bool onCpu(const Settings& settings)
{
    return textOf(settings, "device").value_or("cpu") == "cpu";
}

/// As written within a line: abbreviations and names of products stay capitalised, as in "PyTorch: Bucket size".
std::string lowered(std::string label)
{
    if (label.find(':') != std::string::npos)
        return label;
    const auto isBetween = [&](std::size_t i, char first, char last) {
        return i < label.size() && label[i] >= first && label[i] <= last;
    };
    if (isBetween(0, 'A', 'Z') && isBetween(1, 'a', 'z'))
        label[0] = static_cast<char>(label[0] - 'A' + 'a');
    return label;
}

/// A unit that the label has already is not repeated: "prefetched batches 4".
std::string namedText(const std::string& label, const std::string& level, const std::string& unit)
{
    const std::string name = lowered(label);
    const bool isSaid = unit.empty() || name.find(unit) != std::string::npos;
    return name + " " + level + (isSaid ? "" : std::string(kThinSpace) + unit);
}

/// Words but those of a switch say what they are by themselves; nullptr: this one does.
const spec::Setting* settingToName(std::string_view key)
{
    const spec::Setting* setting = spec::findSetting(key);
    if (!setting || setting->type != spec::SettingType::word)
        return setting;
    const auto isOff = [](const spec::Level& level) { return level.word == "off"; };
    return std::ranges::any_of(setting->levels, isOff) ? setting : nullptr;
}

/// Every run of a system that was made has cores; a log may name neither those nor what it ran on.
bool isDeviceTold(const Settings& settings)
{
    return !spec::systemOf(settings) || settings.contains("device") || settings.contains("cores_per_rank");
}

} // namespace

std::string factorName(std::string_view key, const Settings& settings)
{
    if (key == "ranks" && isDeviceTold(settings))
        return onCpu(settings) ? Words::noop("CPU ranks") : Words::noop("GPUs");
    return key == "site" ? Words::noop("Site") : spec::labelOf(key);
}

std::string factorName(std::string_view key, const std::vector<const Settings*>& all)
{
    const std::string name = factorName(key, all.empty() ? Settings{} : *all.front());
    const bool isShared = std::ranges::all_of(all, [&](const Settings* one) { return factorName(key, *one) == name; });
    return isShared ? name : Words::noop("Ranks");
}

std::string settingText(std::string_view key)
{
    return lowered(spec::labelOf(key));
}

std::string ranksText(const Settings& settings)
{
    const auto ranks = integerOf(settings, "ranks").value_or(1);
    const char* unit = !isDeviceTold(settings) ? "rank" : onCpu(settings) ? "CPU rank" : "GPU";
    return fmt::format("{} {}{}", ranks, unit, ranks == 1 ? "" : "s");
}

std::string shownRanksText(const Settings& settings)
{
    const auto ranks = static_cast<std::uint64_t>(integerOf(settings, "ranks").value_or(1));
    if (!isDeviceTold(settings))
        return Words::counted("{} ranks", "{} rank", ranks);
    return onCpu(settings) ? Words::counted("{} CPU ranks", "{} CPU rank", ranks)
                           : Words::counted("{} GPUs", "{} GPU", ranks);
}

std::string shownLevelText(std::string_view key, const Settings& settings)
{
    const Value* level = valueOf(settings, key);
    if (!level)
        return {};
    if (key == "ranks")
        return shownRanksText(settings);
    const std::string text = spec::shownLabelOf(key, *level);
    const spec::Setting* setting = settingToName(key);
    return setting ? namedText(Words::translated(setting->label), text,
                               Words::translated(unitOf(*setting, itemsOf(settings))))
                   : text;
}

std::string levelText(std::string_view key, const Settings& settings)
{
    if (key == "ranks" && valueOf(settings, key))
        return ranksText(settings);
    const Words::InEnglish english;
    return shownLevelText(key, settings);
}

} // namespace ringside::report
