// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/formats/formats.h"

#include <array>

namespace ringside::figures {

namespace {

constexpr auto kAll =
    std::to_array<const Format*>({&kPdf, &kSvg, &kPng, &kCsv, &kRunsCsv, &kProvenance, &kCaption, &kTrace});

} // namespace

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
