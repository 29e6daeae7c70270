// SPDX-License-Identifier: MIT
#include "core/logs/keyindex.h"

#include <algorithm>
#include <cstring>

namespace ringside::logs {

namespace {

/// All slots' marks stay in the first-level cache.
constexpr unsigned kSlotBits = 13;
constexpr std::uint32_t kGolden = 0x9E3779B1;

/// Slot of the kLeastKey bytes there.
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
    , m_first(std::size_t{1} << kSlotBits)
{
    for (std::uint32_t number = 0; number < keys.size(); ++number)
        for (std::size_t offset = 0; offset < m_step; ++offset)
            m_entries.push_back({slotOf(keys[number].data() + offset), number, keys[number], offset});
    std::sort(m_entries.begin(), m_entries.end());
    for (std::size_t i = m_entries.size(); i-- > 0;)
        m_first[m_entries[i].slot] = static_cast<std::uint32_t>(i + 1);
}

void KeyIndex::find(std::string_view line, std::vector<std::uint32_t>& numbers) const
{
    numbers.clear();
    for (std::size_t at = 0; at + kLeastKey <= line.size(); at += m_step) {
        const std::uint32_t slot = slotOf(line.data() + at);
        for (std::size_t next = m_first[slot]; next > 0 && next <= m_entries.size(); ++next) {
            const Entry& entry = m_entries[next - 1];
            if (entry.slot != slot)
                break;
            if (entry.offset <= at && line.substr(at - entry.offset).starts_with(entry.key))
                numbers.push_back(entry.number);
        }
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

} // namespace ringside::logs
