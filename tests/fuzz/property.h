// SPDX-License-Identifier: MIT
// Functions that the fuzz targets share. A broken property ends the process, so that libFuzzer keeps the input.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace ringside::fuzz {

inline void require(bool holds, const char* property)
{
    if (holds)
        return;
    std::fprintf(stderr, "broken property: %s\n", property);
    std::abort();
}

/// An input: its first byte says where the rest is cut in two.
struct Input
{
    std::string_view bytes;
    std::size_t cut = 0;

    Input(const std::uint8_t* data, std::size_t size)
    {
        if (size == 0)
            return;
        bytes = {reinterpret_cast<const char*>(data) + 1, size - 1};
        cut = bytes.size() * data[0] / 256;
    }
};

/// `read` (a list of pieces to what was read from them) must give the same for `bytes` in one piece and in two.
template <class Read> void requireSameInPieces(std::string_view bytes, std::size_t cut, const Read& read)
{
    const auto whole = read({bytes}); // braces: read takes a list of pieces
    require(whole == read({bytes.substr(0, cut), bytes.substr(cut)}), "two pieces read as one");
}

} // namespace ringside::fuzz
