// SPDX-License-Identifier: MIT
// How messages of this folder are put: quotes, lists, numbers. Internal to core/spec.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::spec {

/// “alexnet”; control characters made visible, long texts cut.
std::string quoted(std::string_view text);

/// "12,480".
std::string grouped(std::uint64_t number);

/// "one, buckets and none".
std::string listed(const std::vector<std::string>& words);

/// "1 rank", "2 ranks".
std::string counted(std::uint64_t count, std::string_view noun);

/// "Did you mean “buckets”?" if a known word is close, and what is known, if that is a list one can read.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

} // namespace ringside::spec
