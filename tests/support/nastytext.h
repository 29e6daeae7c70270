// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <random>
#include <string>

namespace ringside::test {

/// One line of text, of at most `bytes`, of all that shells, printf, JSON, TOML and C strings read as something else.
/// It has no "/" and is no option. A shell that executes any of it leaves a file "pwned" where it stands.
std::string nastyText(std::mt19937& random, std::size_t bytes = 100);

} // namespace ringside::test
