// SPDX-License-Identifier: MIT
// Finds which of many patterns a line may have, in one walk over it: each pattern has a key that every line of
// its form holds. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ringside::logs {

/// A shorter key is no key.
inline constexpr std::size_t kLeastKey = 3;

/// Looks at some bytes of a line only, in places so far apart that each key that it holds covers one of them.
class KeyIndex
{
public:
    /// The keys have at least kLeastKey bytes, and outlive the index.
    explicit KeyIndex(const std::vector<std::string_view>& keys);

    /// The numbers of the keys that the line holds, ascending, each once.
    void find(std::string_view line, std::vector<std::uint32_t>& numbers) const;

    /// From place to place, in bytes; the shortest key decides.
    std::size_t step() const { return m_step; }

private:
    /// A part of a key in a place.
    struct Entry
    {
        std::uint32_t slot, number;
        std::string_view key;
        std::size_t offset; ///< of the place in the key
        bool operator<(const Entry& other) const { return slot < other.slot; }
    };

    std::size_t m_step;
    std::vector<Entry> m_entries;       ///< by slot
    std::vector<std::uint32_t> m_first; ///< by slot: its first entry, counted from 1, or 0
};

} // namespace ringside::logs
