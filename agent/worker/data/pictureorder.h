// SPDX-License-Identifier: MIT
// The order in which ranks see pictures.
#pragma once

#include "agent/worker/data/random.h"

#include <bit>
#include <cstddef>

namespace ringside {

/// A pseudo-random permutation of 0 … n-1 without a table: a Feistel network of four rounds over the next even power of
/// two, walked until the result falls below n (Black and Rogaway 2002, cycle walking: fewer than four steps on
/// average).
class Permutation
{
public:
    Permutation(std::uint64_t seed, std::uint64_t n)
        : m_seed(seed)
        , m_n(n)
        , m_halfBits(unsigned(std::bit_width(n - 1) + 1) / 2)
    {
    }

    /// i < n.
    std::uint64_t at(std::uint64_t i) const
    {
        do
            i = scramble(i);
        while (i >= m_n);
        return i;
    }

private:
    std::uint64_t scramble(std::uint64_t i) const
    {
        const std::uint64_t mask = (std::uint64_t{1} << m_halfBits) - 1;
        std::uint64_t left = i >> m_halfBits;
        std::uint64_t right = i & mask;
        for (std::uint64_t round = 0; round < 4; ++round) {
            const std::uint64_t mixed = left ^ (randomBits(m_seed + round, right) & mask);
            left = right;
            right = mixed;
        }
        return left << m_halfBits | right;
    }

    std::uint64_t m_seed;
    std::uint64_t m_n;
    unsigned m_halfBits;
};

/// All ranks together go through the whole set once per epoch, in a new order each time; position p of that endless
/// stream belongs to rank p mod world size, so the ranks' shares are disjoint, and no batch waits for an epoch's end.
class PictureOrder
{
public:
    PictureOrder(std::uint64_t seed, std::size_t pictures, int rank, int worldSize)
        : m_seed(seed)
        , m_pictures(pictures)
        , m_rank(rank)
        , m_worldSize(worldSize)
    {
    }

    /// Place in the stream of all ranks of this rank's picture number i.
    std::uint64_t position(std::uint64_t i) const { return i * m_worldSize + m_rank; }

    std::size_t pictureAt(std::uint64_t position) const
    {
        const std::uint64_t epoch = position / m_pictures;
        return Permutation(randomBits(m_seed, epoch), m_pictures).at(position % m_pictures);
    }

    /// The substitute for a bad picture: try 1, 2, … The same for every caller; neighbours in the folder, which often
    /// are bad together, are far apart in it.
    std::size_t replacement(std::uint64_t position, std::size_t attempt) const
    {
        return Permutation(~m_seed, m_pictures).at((pictureAt(position) + attempt) % m_pictures);
    }

private:
    std::uint64_t m_seed;
    std::size_t m_pictures;
    std::uint64_t m_rank;
    std::uint64_t m_worldSize;
};

} // namespace ringside
