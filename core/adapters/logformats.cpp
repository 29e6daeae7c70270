// SPDX-License-Identifier: MIT
#include "core/adapters/logformats.h"

#include "core/adapters/builtintables.h"
#include "core/adapters/linktoml.h"

namespace ringside::adapters {

logs::LogFormat logFormatOf(const Adapter& adapter)
{
    logs::LogFormat format = logs::formatOf(adapter.name, adapter.engine);
    format.title = adapter.title;
    format.items = adapter.items;
    return format;
}

std::vector<logs::LogFormat> logFormatsOf(const AdapterBook& book)
{
    std::vector<logs::LogFormat> formats;
    for (const AdapterBook::Entry& entry : book.entries())
        if (entry.outcome.adapter && !entry.outcome.adapter->engine.lines.empty())
            formats.push_back(logFormatOf(*entry.outcome.adapter));
    formats.insert(formats.end(), linkFormats().begin(), linkFormats().end());
    return formats;
}

const std::vector<logs::LogFormat>& linkFormats()
{
    static const std::vector<logs::LogFormat> kFormats = [] {
        std::vector<logs::LogFormat> formats;
        for (const std::string_view toml : builtInLinkForms())
            if (auto read = readLinkForm(toml); read.form)
                formats.push_back(std::move(*read.form));
        return formats;
    }();
    return kFormats;
}

const std::vector<logs::LogFormat>& usersLogFormats()
{
    static const std::vector<logs::LogFormat> kFormats = logFormatsOf(usersAdapters());
    return kFormats;
}

} // namespace ringside::adapters
