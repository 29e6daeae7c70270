// SPDX-License-Identifier: MIT
#include "core/adapters/options.h"

#include "core/base/sequences.h"

namespace ringside::adapters {

spec::Setting settingOf(const Option& option)
{
    spec::Setting setting{.key = option.key, .label = option.label, .description = option.description};
    setting.type = option.type;
    setting.unit = option.unit;
    setting.standard = option.standard;
    setting.standardFrom = option.standardFrom;
    setting.inHashWhenDefault = !option.isLater;
    setting.source = option.source;
    setting.minimum = option.minimum;
    setting.maximum = option.maximum;
    setting.needs = spec::Condition{"engine", setting.key.substr(0, setting.key.find('.'))};
    setting.levels = mapped(option.levels, [](const std::string& word) { return spec::Level{word, word}; });
    return setting;
}

KnownSettings knownSettings(const Adapter& adapter)
{
    KnownSettings known;
    const auto add = [&](const std::string& key) {
        if (const spec::Setting* setting = spec::findSetting(key))
            known.emplace(key, *setting);
    };
    for (const std::string_view key : spec::kSettingsOfAll)
        add(std::string(key));
    for (const std::string& key : adapter.settings)
        add(key);
    for (const Option& option : adapter.options)
        known.emplace(option.key, settingOf(option));
    return known;
}

} // namespace ringside::adapters
