// SPDX-License-Identifier: MIT
// Words for messages of this folder: quotes, lists, subjects. Internal to core/spec.
#pragma once

#include "core/base/words.h"
#include "core/protocol/settings.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::spec {

/// “alexnet”; control characters made visible, long texts cut.
std::string inQuotes(std::string_view text);

/// "one, buckets and none".
std::string listed(const std::vector<std::string>& words);

/// "Ranks: expected a table, found “2”.": what is wrong, after the setting that it is about.
std::string about(std::string_view key, std::string_view message);

/// Says what was found in the place of a number: "“six”"; "the text “6”" where only the quotes are wrong; "“6.0”" for a
/// real number without a fraction.
std::string foundInstead(const Value& value);
/// Says what to do about it: "Write 6 without quotes."; empty where the quotes are not what is wrong.
std::string unquoting(const Value& value);
/// The same where a whole number is wanted: also "Write 6." for 6.0.
std::string writtenWhole(const Value& value);

/// "Did you mean “buckets”?" if a known word is close or has the same beginning (data_folder, data_path); else empty.
std::string likelyMeant(std::string_view word, const std::vector<std::string>& known);
/// The same, and what is known, if that is a list one can read.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

} // namespace ringside::spec
