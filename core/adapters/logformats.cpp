// SPDX-License-Identifier: MIT
#include "core/adapters/logformats.h"

namespace ringside::adapters {

logs::LogFormat logFormatOf(const Adapter& adapter)
{
    logs::LogFormat format = logs::formatOf(adapter.name, adapter.engine);
    format.title = adapter.title;
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

const std::vector<logs::LogFormat>& usersLogFormats()
{
    static const std::vector<logs::LogFormat> kFormats = logFormatsOf(usersAdapters());
    return kFormats;
}

} // namespace ringside::adapters
