// SPDX-License-Identifier: MIT
// Words of figures and tables that core/spec does not have: ranks by device, levels, groups. English, the language of
// exports; the window shows them through Words::translated().
#pragma once

#include "core/protocol/settings.h"

#include <vector>

namespace ringside::report {

/// The label of a setting, but ranks as "CPU ranks" or "GPUs" by the setting `device`.
std::string factorName(std::string_view key, const Settings& settings);

/// Returns a factor's name where all of these are meant: ranks of CPUs and GPUs together are "Ranks".
std::string factorName(std::string_view key, const std::vector<const Settings*>& all);

/// "bucket size": a setting as written within a line.
std::string settingText(std::string_view key);

/// "1 CPU rank", "16 GPUs".
std::string ranksText(const Settings& settings);
/// The same in the user's language.
std::string shownRanksText(const Settings& settings);

/// The level of a setting where nothing else names the setting: most words say what they are by themselves,
/// a number needs its setting and its unit: "bf16", "TF32 on", "2 CPU ranks", "image size 128 pixels". Empty where
/// there is none.
std::string levelText(std::string_view key, const Settings& settings);
/// The same in the user's language.
std::string shownLevelText(std::string_view key, const Settings& settings);

/// Beside the titles of the phases (core/protocol/phase.h).
inline constexpr std::string_view kHiddenCommunication = "Communication, hidden";
/// Names for the work of loader threads, beside the phases.
inline constexpr std::string_view kReading = "Read, beside", kDecoding = "Decode, beside";

} // namespace ringside::report
