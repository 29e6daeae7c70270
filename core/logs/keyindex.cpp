// SPDX-License-Identifier: MIT
#include "core/logs/keyindex.h"

#include <algorithm>
#include <cstring>

namespace ringside::logs {

namespace {

/// Slots of the first kLeastKey bytes. The bits stay in the first-level cache.
constexpr unsigned kSlotBits = 15;
constexpr std::uint32_t kBuckets = 256;
constexpr std::uint32_t kThreeBytes = 0xFFFFFF;
constexpr std::uint32_t kGolden = 0x9E3779B1;

constexpr std::uint32_t slotOf(std::uint32_t bytes)
{
    return (bytes & kThreeBytes) * kGolden >> (32 - kSlotBits);
}

/// Of a text of at least kLeastKey bytes.
std::uint32_t slotOfFirst(std::string_view text)
{
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, text.data(), kLeastKey);
    return slotOf(bytes);
}

} // namespace

KeyIndex::KeyIndex()
    : m_begins((1u << kSlotBits) / 64)
    , m_entries(kBuckets)
{
}

void KeyIndex::add(std::string_view key, std::uint32_t id)
{
    const std::uint32_t slot = slotOfFirst(key);
    m_begins[slot / 64] |= std::uint64_t{1} << slot % 64;
    m_entries[slot % kBuckets].push_back({std::string(key), id});
}

void KeyIndex::check(std::string_view rest, std::uint32_t slot, std::vector<std::uint32_t>& ids) const
{
    for (const Entry& entry : m_entries[slot % kBuckets])
        if (rest.substr(0, entry.key.size()) == entry.key)
            ids.push_back(entry.id);
}

void KeyIndex::find(std::string_view line, std::vector<std::uint32_t>& ids) const
{
    ids.clear();
    if (line.size() < kLeastKey)
        return;
    const auto look = [&](std::size_t at, std::uint32_t slot) {
        if ((m_begins[slot / 64] >> slot % 64 & 1) != 0)
            check(line.substr(at), slot, ids);
    };
    const std::size_t last = line.size() - kLeastKey;
    for (std::size_t at = 0; at < last; ++at) {
        std::uint32_t bytes;
        std::memcpy(&bytes, line.data() + at, sizeof bytes);
        look(at, slotOf(bytes));
    }
    look(last, slotOfFirst(line.substr(last)));
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

} // namespace ringside::logs
