// SPDX-License-Identifier: MIT
#include "core/logs/keyindex.h"

#include <algorithm>
#include <cstring>

namespace ringside::logs {

namespace {

/// All slots' marks stay in the first-level cache.
constexpr unsigned kSlotBits = 13;
constexpr std::uint32_t kGolden = 0x9E3779B1;

/// Of the kLeastKey bytes there.
std::uint32_t slotOf(const char* bytes)
{
    std::uint16_t two;
    std::memcpy(&two, bytes, sizeof two);
    const std::uint32_t three = two | std::uint32_t{static_cast<unsigned char>(bytes[sizeof two])} << 16;
    return three * kGolden >> (32 - kSlotBits);
}

/// A key as long as the shortest one covers one place at least.
std::size_t stepFor(const std::vector<std::string_view>& keys)
{
    constexpr std::size_t kMost = 32;
    std::size_t step = kMost;
    for (const std::string_view key : keys)
        step = std::min(step, key.size() - kLeastKey + 1);
    return step;
}

} // namespace

KeyIndex::KeyIndex(const std::vector<std::string_view>& keys)
    : m_step(stepFor(keys))
    , m_isUsed(std::size_t{1} << kSlotBits)
{
    for (std::uint32_t number = 0; number < keys.size(); ++number)
        for (std::size_t offset = 0; offset < m_step; ++offset) {
            const std::uint32_t slot = slotOf(keys[number].data() + offset);
            m_entries.push_back({slot, number, keys[number], offset});
            m_isUsed[slot] = 1;
        }
    std::sort(m_entries.begin(), m_entries.end());
}

void KeyIndex::check(std::string_view line, std::size_t at, std::uint32_t slot,
                     std::vector<std::uint32_t>& numbers) const
{
    for (auto entry = std::lower_bound(m_entries.begin(), m_entries.end(), Entry{slot, 0, {}, 0});
         entry != m_entries.end() && entry->slot == slot; ++entry)
        if (entry->offset <= at && line.substr(at - entry->offset).starts_with(entry->key))
            numbers.push_back(entry->number);
}

void KeyIndex::find(std::string_view line, std::vector<std::uint32_t>& numbers) const
{
    numbers.clear();
    for (std::size_t at = 0; at + kLeastKey <= line.size(); at += m_step)
        if (const std::uint32_t slot = slotOf(line.data() + at); m_isUsed[slot])
            check(line, at, slot, numbers);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

} // namespace ringside::logs
