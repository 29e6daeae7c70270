// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/exportfigure.h"
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

std::optional<std::string> make(const ExportContent& content, const ExportRequest& request)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    if (!figureImage(content.figure, request.paper, kPngDpi).save(&buffer, "PNG"))
        return std::nullopt;
    return buffer.data().toStdString();
}

} // namespace

extern const Format kPng{"png", "fig-{}.png", false, true, fitsAll, remark, make};

} // namespace ringside::figures
