// SPDX-License-Identifier: MIT
// Says of a syntax error what was probably meant.
#pragma once

#include "core/spec/check.h"

#include <string>
#include <string_view>

namespace ringside::spec {

struct SyntaxHint
{
    Position at;
    std::string message;
    std::string hint;
};

/// `at` and `description` as the TOML parser reports them. Knows the three usual slips: a list without brackets, a word
/// without quotes, and a size without quotes.
SyntaxHint syntaxHint(std::string_view toml, Position at, std::string_view description);

/// "1, 2, 4" -> "[1, 2, 4]"; with `words`, "a, b" -> "[\"a\", \"b\"]".
std::string asList(std::string_view text, bool words);

} // namespace ringside::spec
