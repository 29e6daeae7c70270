// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/formats/format.h"

#include "core/base/files.h"

#include <array>
#include <fmt/ranges.h>

namespace ringside::figures {

// Each is defined in a file beside this one.
extern const Format kPdf;
extern const Format kSvg;
extern const Format kPng;
extern const Format kCsv;
extern const Format kRunsCsv;
extern const Format kProvenance;
extern const Format kCaption;
extern const Format kTrace;

namespace {

constexpr auto kAll =
    std::to_array<const Format*>({&kPdf, &kSvg, &kPng, &kCsv, &kRunsCsv, &kProvenance, &kCaption, &kTrace});

} // namespace

std::string formatNames()
{
    std::vector<std::string_view> names;
    for (const Format* format : kAll)
        names.push_back(format->name);
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string formatExtensions()
{
    std::vector<std::string> extensions;
    for (const Format* format : kAll)
        if (format->needsFigureOnly)
            extensions.push_back(fs::path(format->file).extension().string());
    return fmt::format("{}", fmt::join(extensions, ", "));
}

std::vector<const Format*> formatsFor(const report::FigureData& figure)
{
    std::vector<const Format*> formats;
    for (const Format* format : kAll)
        if (format->fits(figure))
            formats.push_back(format);
    return formats;
}

bool fitsAll(const report::FigureData&)
{
    return true;
}

} // namespace ringside::figures
