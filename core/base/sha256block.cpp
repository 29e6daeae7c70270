// SPDX-License-Identifier: MIT
#include "core/base/sha256block.h"

#include <algorithm>
#include <bit>
#include <functional>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace ringside {

namespace {

constexpr std::size_t kBlockBytes = 64;

/// FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t bigEndian(const unsigned char* bytes)
{
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

std::array<std::uint32_t, 64> schedule(const unsigned char* block)
{
    std::array<std::uint32_t, 64> w;
    for (std::size_t t = 0; t < 16; ++t)
        w[t] = bigEndian(block + 4 * t);
    for (std::size_t t = 16; t < 64; ++t) {
        const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
        const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    return w;
}

void takeBlock(Sha256State& state, const unsigned char* block)
{
    const auto w = schedule(block);
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t t = 0; t < 64; ++t) {
        const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
        const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
    std::transform(added.begin(), added.end(), state.begin(), state.begin(), std::plus<>());
}

} // namespace

void takeSha256Blocks(Sha256State& state, const unsigned char* blocks, std::size_t count)
{
    for (; count > 0; --count, blocks += kBlockBytes)
        takeBlock(state, blocks);
}

#if defined(__x86_64__)

namespace {

bool hasInstructions()
{
    constexpr unsigned kShaBit = 1u << 29; // of EBX, leaf 7 (Intel SDM, CPUID)
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __builtin_cpu_supports("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & kShaBit) != 0;
}

__m128i load(const void* at)
{
    return _mm_loadu_si128(static_cast<const __m128i*>(at));
}

/// Four rounds at a time; the state lies in two registers as ABEF and CDGH (Gulley et al., “Intel SHA Extensions”).
[[gnu::target("sha,sse4.1")]] void takeByInstructions(Sha256State& state, const unsigned char* blocks,
                                                      std::size_t count)
{
    const __m128i byteOrder = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i badc = _mm_shuffle_epi32(load(&state[0]), 0xb1);
    const __m128i hgfe = _mm_shuffle_epi32(load(&state[4]), 0x1b);
    __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
    __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
    for (; count > 0; --count, blocks += kBlockBytes) {
        const __m128i abefBefore = abef, cdghBefore = cdgh;
        __m128i words[4]; // of the schedule: those of these four rounds, and of the next twelve
        for (int i = 0; i < 4; ++i)
            words[i] = _mm_shuffle_epi8(load(blocks + 16 * i), byteOrder);
#pragma GCC unroll 16
        for (std::size_t round = 0; round < kRound.size(); round += 4) {
            const __m128i sum = _mm_add_epi32(words[0], load(&kRound[round]));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
            const __m128i middle = _mm_alignr_epi8(words[3], words[2], 4);
            const __m128i next =
                _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(words[0], words[1]), middle), words[3]);
            words[0] = words[1];
            words[1] = words[2];
            words[2] = words[3];
            words[3] = next;
        }
        abef = _mm_add_epi32(abef, abefBefore);
        cdgh = _mm_add_epi32(cdgh, cdghBefore);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[0]), _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[4]), _mm_alignr_epi8(dchg, feba, 8));
}

} // namespace

Sha256Blocks sha256Instructions()
{
    return hasInstructions() ? takeByInstructions : nullptr;
}

#else

Sha256Blocks sha256Instructions()
{
    return nullptr;
}

#endif

} // namespace ringside
