// SPDX-License-Identifier: GPL-3.0-or-later
// Parts common to formats that draw on one of Qt's devices.
#pragma once

#include "app/figures/figurerenderer.h"
#include "app/figures/formats/format.h"

class QBuffer;
class QPaintDevice;

namespace ringside::figures {

std::string vectorRemark(const ExportContent& content);

/// The output of `device`, which writes into `buffer`, for the figure at its own size; nullopt: it could not begin.
std::optional<std::string> drawn(const FigureRenderer& renderer, QPaintDevice& device, const QBuffer& buffer);

} // namespace ringside::figures
