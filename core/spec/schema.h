// SPDX-License-Identifier: MIT
// Every setting that an experiment may hold. A new setting is one entry of the table in schema.cpp; reader, writer,
// validation, matrix, hash, form and completion follow from it.
#pragma once

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/protocol/settings.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::spec {

enum class SettingType
{
    integer,
    real,
    word,
    path
};
constexpr auto namesOf(SettingType)
{
    return std::to_array<std::string_view>({"integer", "real", "word", "path"});
}

/// A known level of a word setting. Labels, units and descriptions are English; Words::translated() shows them.
struct Level
{
    std::string_view word;  ///< as in files: "resnet50"
    std::string_view label; ///< as people write it: "ResNet-50"
    bool offered = true;    ///< false: accepted where it stands, as a command wrote it, but not offered as a choice
};

/// Holds where another setting has this level.
struct Condition
{
    std::string_view key, level;
};

/// The unit of a batch, whatever is trained; for a model that is known, report::unitOf() has the word.
inline constexpr std::string_view kItemsUnit = Words::noop("images or sequences");

/// Cores of a rank that computes on a GPU: its compute thread, autograd's, that of communication, and a loader.
inline constexpr std::int64_t kCoresBesideGpu = 4;

struct Setting
{
    std::string_view key;   ///< as in files and JSON
    std::string_view label; ///< for forms and tables: "Batch per rank"
    SettingType type = SettingType::word;
    std::string_view unit = {}; ///< "pixels", kItemsUnit; empty: none
    std::optional<Value> standard =
        {};             ///< the value where the experiment sets none; nullopt: derived, or has to be set
    double minimum = 0; ///< inclusive; numbers only
    double maximum = 0;
    std::vector<Level> levels =
        {};                       ///< word settings; empty with type word: names that only the experiment knows (plan)
    std::string_view description; ///< one line for people
    std::optional<Value> standardOnGpu = {}; ///< the same with device “cuda”, where that differs
    std::string_view standardFrom = {};      ///< "ranks": as many as those, in place of `standard`, once they are known
    /// If it does not hold the setting has no effect, and a form need not show it.
    std::optional<Condition> needs = {};
    /// False for a setting added after the first release: the key of configurations made before it stays the same.
    bool inHashWhenDefault = true;
    std::string_view source = {}; ///< where the default of a system's option is documented
};

/// Default by the device that `settings` name, if any; nullopt, too, where it is that of a setting that they lack.
std::optional<Value> standardOf(const Setting& setting, const Settings& settings);

/// Standard value of cores_per_rank.
int standardCores(std::string_view device);

/// In the order in which a form shows them; options of systems (systems.h) are none of them. Safe from any thread.
const std::vector<Setting>& schema();
/// One of these, or an option of a system.
const Setting* findSetting(std::string_view key);
std::vector<std::string> settingKeys();

/// The levels that forms, completions and hints name, of `engine` the systems there are among them.
std::vector<Level> offeredLevels(const Setting& setting);

/// "Batch per rank"; the key itself if it is not known.
std::string labelOf(std::string_view key);
/// "ResNet-50" for resnet50; the value's text where it has no label.
std::string labelOf(std::string_view key, const Value& value);

/// The same in the user's language, for the window and for messages; what is exported and stored has the English ones.
std::string shownLabelOf(std::string_view key);
std::string shownLabelOf(std::string_view key, const Value& value);

/// The value in the setting's own type (2 is 2.0 where real numbers are meant, 2.0 is no whole number), or what would
/// be right: a message such as "expected a whole number from 1 to 65,536" with a suggestion for words as hint. Plan
/// names are accepted as they are; whether a plan exists, only the experiment knows (plans.h).
Result<Value> canonicalValue(const Setting& setting, const Value& value);

} // namespace ringside::spec
