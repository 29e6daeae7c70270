// SPDX-License-Identifier: MIT
#include "agent/worker/timing/detailrhythm.h"

#include "core/protocol/record.h"

#include <algorithm>
#include <cmath>

namespace ringside {

void DetailRhythm::recorded(std::uint32_t seq, std::size_t bytes)
{
    const double allowed = kDetailShare * static_cast<double>(spoolBytes(Sample{}));
    const auto distance = static_cast<std::uint32_t>(std::ceil(static_cast<double>(bytes) / allowed));
    m_next = seq + std::max(distance, kLeastDetailDistance);
}

std::size_t spoolBytes(const Record& record)
{
    std::string bytes;
    appendRecord(bytes, record);
    return bytes.size();
}

} // namespace ringside
