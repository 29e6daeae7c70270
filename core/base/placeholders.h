// SPDX-License-Identifier: MIT
// Texts with names in braces, which values replace: "--batch={batch_per_rank}". “{{” and “}}” are braces. Pure.
#pragma once

#include "core/base/error.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

/// The names in their order, or where a brace closes nothing or is not closed (usage).
Result<std::vector<std::string>> placeholdersOf(std::string_view text);

/// The name, where a text consists only of one in braces: "{nodes}".
std::optional<std::string> onlyPlaceholder(std::string_view text);

/// The value that replaces a name; nothing: it is not known, or not yet.
using PlaceholderValue = std::function<std::optional<std::string>(std::string_view name)>;

/// With the values of the names that are known: a text that may be filled further. Braces in a value stay what they
/// are. The text has to be right.
std::string partlyFilled(std::string_view text, const PlaceholderValue& valueOf);
/// Fills in all its values; fails with the name that is not known (usage).
Result<std::string> filled(std::string_view text, const PlaceholderValue& valueOf);

/// Returns `text` as it is written in a text with placeholders, whatever braces are in it.
std::string escaped(std::string_view text);

} // namespace ringside
