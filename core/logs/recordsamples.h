// SPDX-License-Identifier: MIT
// Turns what a program's own lines report into samples: one of each record, whatever it covers, since it is one
// observation. Pure.
#pragma once

#include "core/logs/content.h"
#include "core/protocol/sample.h"

#include <cstdint>
#include <optional>
#include <span>

namespace ringside::logs {

/// A sample's loss from what a program prints: where that is no finite number it is infinite, because NaN is that of a
/// program that prints none.
float toldLoss(double loss);

/// Facts that the lines need not state.
struct KnownOfRun
{
    std::optional<double> batchPerRank = {};
    std::uint32_t ranks = 1, ranksPerNode = 1;
};

/// Iterations are counted from 0 through all epochs. A program may count from 0 or 1, and say nothing of the first or
/// of those that fill no interval; so its first record in the run, and in each epoch, is of the first iterations unless
/// its number says that there were earlier ones, and the rest of an epoch is as long as the program says.
class RecordSamples
{
public:
    explicit RecordSamples(KnownOfRun known)
        : m_known(known)
    {
    }

    /// To be called with the records of one lane, in their order. Nothing: it contradicts itself, or has no work in a
    /// time. When it began is not known here. A phase that it does not report, and a loss, is none. `phases` are the
    /// record's.
    std::optional<Sample> next(const LogRecord& record, Scope scope, std::span<const PhaseTime> phases = {});

private:
    std::uint32_t ranksOf(Scope scope) const;
    std::int64_t place(const LogRecord& record, std::int64_t iterations);

    KnownOfRun m_known;
    std::int64_t m_next = 0;   ///< the iteration behind the last record
    std::int64_t m_offset = 0; ///< from the epoch's own numbers to those from 0
    std::optional<std::int64_t> m_epoch = {}, m_last = {};
};

} // namespace ringside::logs
