// SPDX-License-Identifier: MIT
// Little-endian fields, appended to a string and read from bytes that may be hostile.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace ringside {

static_assert(std::endian::native == std::endian::little, "the formats are little-endian and copied as they lie");

/// Fixed-size numbers only: u8 to u64, i8 to i64, float.
template <class T>
concept PlainNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <PlainNumber T> void putNumber(std::string& out, T value)
{
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    out.append(raw, sizeof raw);
}

/// A u16 length and the bytes; what is longer than 65,535 bytes is cut.
inline void putText(std::string& out, std::string_view text)
{
    text = text.substr(0, UINT16_MAX);
    putNumber(out, static_cast<std::uint16_t>(text.size()));
    out.append(text);
}

/// Reads fields from the front of `bytes`. Past the end every field reads as zero and `ok()` turns false for good, so a
/// decoder reads straight down and asks once.
class ByteReader
{
public:
    explicit ByteReader(std::string_view bytes)
        : m_rest(bytes)
    {
    }

    template <PlainNumber T> void take(T& value)
    {
        const std::string_view raw = takeBytes(sizeof value);
        if (m_ok)
            std::memcpy(&value, raw.data(), sizeof value);
        else
            value = 0;
    }

    std::string_view takeBytes(std::size_t count)
    {
        if (count > m_rest.size()) {
            m_ok = false;
            m_rest = {};
            return {};
        }
        const std::string_view taken = m_rest.substr(0, count);
        m_rest.remove_prefix(count);
        return taken;
    }

    std::string_view takeText()
    {
        std::uint16_t length;
        take(length);
        return takeBytes(length);
    }

    bool ok() const { return m_ok; }
    std::string_view rest() const { return m_rest; }

private:
    std::string_view m_rest;
    bool m_ok = true;
};

} // namespace ringside
