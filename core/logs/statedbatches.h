// SPDX-License-Identifier: MIT
// The batches that lines beside the records of a run state: settings, printed by a harness, or by each rank. Where two
// of them differ (of a rank and of all, of training and of validation), nothing says which one trains. Pure. Internal
// to core/logs.
#pragma once

#include "core/logs/content.h"

#include <array>
#include <optional>

namespace ringside::logs {

/// A number that stands for two which differ. It is none, so no setting becomes of it.
Printed unclear();

/// Marks each batch of `values` that differs from that of `earlier` as unclear, and returns the first of these.
std::optional<Finding> markUnclear(LineValues& values, const LineValues& earlier);

class StatedBatches
{
public:
    /// Adds what lines of context say of a run. A batch that is unclear, or another one than was stated of the run
    /// before, is taken out of its settings, for good: there stays what the user says. Returns the first that differs.
    std::optional<Finding> add(LogSettings& settings, const LogSettings& given, const LineValues& values);
    bool isUnclear() const { return m_stated[0].isUnclear || m_stated[1].isUnclear; }

private:
    struct Stated
    {
        std::optional<double> number = {};
        bool isUnclear = false;
    };
    std::array<Stated, 2> m_stated; ///< of a rank, and of all
};

} // namespace ringside::logs
