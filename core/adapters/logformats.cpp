// SPDX-License-Identifier: MIT
#include "core/adapters/logformats.h"

#include "core/protocol/names.h"

#include <utility>

namespace ringside::adapters {

logs::LogFormat logFormatOf(const Adapter& adapter)
{
    logs::LogFormat format{.name = adapter.name, .title = adapter.title, .lines = {}};
    format.warmupRecords = adapter.engine.warmupRecords;
    for (const EngineLine& line : adapter.engine.lines) {
        auto pattern = logs::LinePattern::parse(line.pattern);
        const auto meaning = valueNamed<logs::Meaning>(line.meaning);
        const auto scope = valueNamed<logs::Scope>(line.scope);
        if (pattern && meaning && scope)
            format.lines.push_back({std::move(*pattern), *meaning, *scope});
    }
    return format;
}

std::vector<logs::LogFormat> logFormatsOf(const AdapterBook& book)
{
    std::vector<logs::LogFormat> formats;
    for (const AdapterBook::Entry& entry : book.entries())
        if (entry.outcome.adapter && !entry.outcome.adapter->engine.lines.empty())
            formats.push_back(logFormatOf(*entry.outcome.adapter));
    return formats;
}

} // namespace ringside::adapters
