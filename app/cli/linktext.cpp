// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/linktext.h"

#include "core/base/text.h"
#include "core/model/costfit.h"
#include "core/report/figurewords.h"

#include <fmt/format.h>

namespace ringside::cli {

std::string durationText(double seconds)
{
    return seconds < 1e-3 ? fmt::format("{:.1f} µs", seconds * 1e6) : fmt::format("{:.2f} ms", seconds * 1e3);
}

std::string perSecond(double rate)
{
    return rate > 0 ? humanBytes(static_cast<std::uint64_t>(rate)) + "/s" : "–";
}

std::string messageText(const LinkCost& link)
{
    const std::string operation = link.operation == LinkOperation::pingPong ? "ping-pong"
                                  : link.operation == LinkOperation::stream ? "one-way stream"
                                                                            : "all-reduce";
    return link.inGpuMemory ? operation + " of GPU memory" : operation;
}

std::string latencyText(const LinkCost& link)
{
    return link.segments.empty() ? "–" : durationText(link.segments.front().latency);
}

std::string fitText(const LinkCost& link)
{
    return fmt::format("{}, {:.0f} %", report::counted(static_cast<int>(link.segments.size()), "piece", "pieces"),
                       model::worstError(link.segments, link.times) * 100);
}

} // namespace ringside::cli
