// SPDX-License-Identifier: MIT
// In which iterations details (buckets, layers) are recorded: rarely enough to stay a small part of the spool.
#pragma once

#include "core/protocol/sample.h"

#include <cstddef>
#include <cstdint>

namespace ringside {

/// Details use at most this share of the bytes of samples; the first of an attempt is recorded whatever it is.
inline constexpr double kDetailShare = 0.05;
/// And are never closer together than this many iterations.
inline constexpr std::uint32_t kLeastDetailDistance = 20;

/// The first iteration after the warm-up is due; how far the next one is from it depends on how big its details were.
/// Ranks of a run, whose details have one size, choose the same iterations without asking each other.
class DetailRhythm
{
public:
    explicit DetailRhythm(std::uint32_t warmup)
        : m_next(warmup)
    {
    }

    bool isDue(std::uint32_t seq) const { return seq >= m_next; }
    /// Counts the bytes of this iteration's details.
    void recorded(std::uint32_t seq, std::size_t bytes);

private:
    std::uint32_t m_next;
};

/// A record's bytes in a spool.
std::size_t spoolBytes(const Record& record);

} // namespace ringside
