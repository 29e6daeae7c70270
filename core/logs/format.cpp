// SPDX-License-Identifier: MIT
#include "core/logs/format.h"

#include <utility>

namespace ringside::logs {

LogFormat formatOf(std::string name, const Engine& engine)
{
    LogFormat format{.name = std::move(name), .title = engine.title, .lines = {}};
    format.warmupRecords = engine.warmupRecords;
    for (const EngineLine& line : engine.lines) {
        auto pattern = LinePattern::parse(line.pattern);
        const auto meaning = valueNamed<Meaning>(line.meaning);
        const auto scope = valueNamed<Scope>(line.scope);
        const auto versions = VersionRange::parse(line.versions);
        if (pattern && meaning && scope && versions)
            format.lines.push_back({std::move(*pattern), *meaning, *scope, *versions});
    }
    return format;
}

} // namespace ringside::logs
