// SPDX-License-Identifier: MIT
// Writes Ringside's TOML files: pieces that experiments and sites share.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::spec {

/// Key and value, both as the file has them.
using TomlLines = std::vector<std::pair<std::string, std::string>>;

/// "text", with quotes, backslashes and control characters escaped.
std::string quotedToml(std::string_view text);

/// Lines with their equals signs below each other.
std::string aligned(const TomlLines& lines);

/// An empty line, the header ("[runs]") and its lines; empty without lines.
std::string tomlSection(std::string_view header, const TomlLines& lines);

} // namespace ringside::spec
