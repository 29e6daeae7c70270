// SPDX-License-Identifier: MIT
// Lines of CSV as RFC 4180 has them. Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ringside::report::csv {

using Fields = std::vector<std::string>;

/// The shortest text that reads back as the same number; empty for none.
std::string number(double value);
std::string number(const std::optional<double>& value);

/// Adds quotes where they are needed, and the end of the line.
std::string line(const Fields& fields);

void add(Fields& fields, const Fields& more);
/// The names, or the texts, of named texts.
void addNames(Fields& header, const std::vector<std::pair<std::string, std::string>>& named);
void addTexts(Fields& fields, const std::vector<std::pair<std::string, std::string>>& named);

} // namespace ringside::report::csv
