// SPDX-License-Identifier: MIT
#include "core/imports/explain.h"

#include "core/logs/lines.h"
#include "core/logs/ranktag.h"

#include <algorithm>

namespace ringside::imports {

namespace {

/// Reads for each quantity the first row, whose unit is the quantity's.
std::vector<FieldReading> fieldsOf(const logs::LineValues& values)
{
    std::vector<FieldReading> fields;
    std::optional<logs::Quantity> last;
    for (const logs::FieldRow& row : logs::fieldRows()) {
        const auto value = values.get(row.quantity);
        if (value && last != row.quantity)
            fields.push_back({row.name, value->value, row.description});
        last = row.quantity;
    }
    return fields;
}

} // namespace

LineExplained explainLine(std::string_view line, std::span<const logs::LogFormat> formats)
{
    std::string shown;
    logs::showLine(line.substr(0, std::min(line.find('\n'), logs::kMostLineBytes)), shown);
    std::string_view text = shown;
    LineExplained explained{.rank = logs::takeRankTag(text), .readings = {}};
    for (const logs::LogFormat& format : formats)
        for (const logs::LineForm& form : format.lines)
            if (logs::LineValues values; form.pattern.match(text, values)) {
                explained.readings.push_back({&format, &form, fieldsOf(values)});
                break;
            }
    return explained;
}

} // namespace ringside::imports
