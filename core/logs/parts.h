// SPDX-License-Identifier: MIT
// Adds up the times of the parts of an iteration, as micro-batches are, where a line is printed for each. Pure.
// Internal to core/logs.
#pragma once

#include "core/logs/knownline.h"

#include <cstdint>
#include <map>
#include <optional>

namespace ringside::logs {

class Parts
{
public:
    /// Adds a line of Meaning::part.
    void add(const KnownLine& line);
    /// Makes the time of an iteration's last part that of the iteration. It has none where so many parts were not
    /// printed as an iteration has. Lines without a part stay as they are.
    void complete(KnownLine& line);

private:
    struct Process
    {
        std::int64_t part = 0, iteration = 0; ///< of its last whole iteration
        std::int64_t count = 0;               ///< of parts that were printed since
        Printed seconds = {0, 0};             ///< these took
    };

    bool isOneTooMany(const std::optional<int>& rank) const;

    std::map<std::optional<int>, Process> m_processes;
};

} // namespace ringside::logs
