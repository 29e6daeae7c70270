// SPDX-License-Identifier: MIT
// Finds which of many patterns a line may have, in one walk over its bytes: each pattern has a key that every line of
// its form holds. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::logs {

/// A shorter key is no key.
inline constexpr std::size_t kLeastKey = 3;

class KeyIndex
{
public:
    KeyIndex();

    /// `key` has at least kLeastKey bytes.
    void add(std::string_view key, std::uint32_t id);
    /// The ids whose keys the line holds, ascending, each once.
    void find(std::string_view line, std::vector<std::uint32_t>& ids) const;

private:
    struct Entry
    {
        std::string key;
        std::uint32_t id;
    };
    void check(std::string_view rest, std::uint32_t slot, std::vector<std::uint32_t>& ids) const;

    std::vector<std::uint64_t> m_begins; ///< a bit a slot: some key begins so
    std::vector<std::vector<Entry>> m_entries;
};

} // namespace ringside::logs
