// SPDX-License-Identifier: MIT
// The all-reduces of a calibration as a figure: their time, or what they make of the wires, over the size of a message.
#pragma once

#include "core/protocol/calibration.h"
#include "core/report/figuredata.h"

#include <span>
#include <string>

namespace ringside::report {

enum class LinkMeasure
{
    busBandwidth,
    time
};

/// Bytes per second that an all-reduce of `ranks` moves over the slowest link if it moves as few as can be: each rank
/// sends and receives 2(n - 1)/n of the message (Patarasuk and Yuan, 2009). So it can be held against the link's own
/// rate, whatever the number of ranks. 0 for one rank or no time.
double busBandwidth(int ranks, const MessageTime& message);

/// A calibration that was imported, to be drawn beside: named, and noted as no measurement of Ringside's.
struct ImportedLinks
{
    std::string from; ///< the program that printed it: "nccl-tests"
    Calibration calibration;
};

/// One line for each level that was measured, x in KiB; no line without such a measurement. Those that were imported,
/// newest first, have lines of their own, with their number of ranks: as many as have a colour, and the key says so.
FigureData linkFigure(const Calibration& calibration, LinkMeasure measure, std::span<const ImportedLinks> beside = {});

} // namespace ringside::report
