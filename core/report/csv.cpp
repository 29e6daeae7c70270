// SPDX-License-Identifier: MIT
#include "core/report/csv.h"

#include "core/base/sequences.h"

#include <fmt/format.h>

namespace ringside::report::csv {

namespace {

std::string escaped(const std::string& text)
{
    if (text.find_first_of(",\"\n\r") == std::string::npos)
        return text;
    std::string result = "\"";
    for (const char c : text)
        result += c == '"' ? "\"\"" : std::string(1, c);
    return result + "\"";
}

} // namespace

std::string number(double value)
{
    return fmt::format("{}", value);
}

std::string number(const std::optional<double>& value)
{
    return value ? number(*value) : "";
}

std::string line(const Fields& fields)
{
    return joined(fields, ",", escaped) + "\r\n";
}

void add(Fields& fields, const Fields& more)
{
    fields.insert(fields.end(), more.begin(), more.end());
}

void addNames(Fields& header, const std::vector<std::pair<std::string, std::string>>& named)
{
    for (const auto& [name, text] : named)
        header.push_back(name);
}

void addTexts(Fields& fields, const std::vector<std::pair<std::string, std::string>>& named)
{
    for (const auto& [name, text] : named)
        fields.push_back(text);
}

} // namespace ringside::report::csv
