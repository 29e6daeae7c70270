// SPDX-License-Identifier: MIT
#include "core/spec/tomltext.h"

#include <algorithm>
#include <fmt/format.h>

namespace ringside::spec {

std::string quotedToml(std::string_view text)
{
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            result += fmt::format("\\{}", c);
        else if (byte < 0x20 || byte == 0x7f)
            result += fmt::format("\\u{:04X}", byte);
        else
            result += c;
    }
    return result + '"';
}

std::string aligned(const TomlLines& lines)
{
    std::size_t width = 0;
    for (const auto& [key, value] : lines)
        width = std::max(width, key.size());
    std::string text;
    for (const auto& [key, value] : lines)
        text += fmt::format("{:<{}} = {}\n", key, width, value);
    return text;
}

std::string tomlSection(std::string_view header, const TomlLines& lines)
{
    return lines.empty() ? std::string{} : fmt::format("\n{}\n{}", header, aligned(lines));
}

} // namespace ringside::spec
