// SPDX-License-Identifier: MIT
// In which iterations details (buckets, layers) are recorded: rarely enough to stay a small part of the spool.
#pragma once

#include "core/protocol/sample.h"

#include <cstddef>
#include <cstdint>

namespace ringside {

/// Details take at most this share of the bytes that samples take; the first of an attempt is recorded whatever it is.
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
    /// The details of this iteration took so many bytes.
    void recorded(std::uint32_t seq, std::size_t bytes);

private:
    std::uint32_t m_next;
};

/// What a record takes in a spool.
std::size_t spoolBytes(const Record& record);

} // namespace ringside
