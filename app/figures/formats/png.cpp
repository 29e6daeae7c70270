// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/figureimage.h"
#include "app/figures/formats/format.h"
#include "core/base/words.h"

#include <QBuffer>
#include <QImage>

namespace ringside::figures {

namespace {

std::string remark(const ExportContent&)
{
    return Words::tr("{} dpi", kPngDpi);
}

std::optional<std::string> make(const ExportContent& content, const PaperOptions& paper, const std::string&)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    if (!figureImage(content.figure, paper, kPngDpi).save(&buffer, "PNG"))
        return std::nullopt;
    return buffer.data().toStdString();
}

} // namespace

extern const Format kPng{"png", "fig-{}.png", false, true, fitsAll, remark, make};

} // namespace ringside::figures
