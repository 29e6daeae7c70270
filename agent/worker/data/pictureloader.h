// SPDX-License-Identifier: MIT
// The work of one decode thread on one picture.
#pragma once

#include "agent/worker/data/batchsource.h"
#include "agent/worker/data/pictureorder.h"
#include "agent/worker/data/pictureset.h"
#include "agent/worker/data/resizer.h"

#include <atomic>
#include <vector>

namespace ringside {

/// Pictures that turned out bad, shared by all threads: none is opened twice. The first few are named on stdout.
class BadPictures
{
public:
    explicit BadPictures(std::size_t pictures)
        : m_bad(pictures)
    {
    }

    bool contains(std::size_t picture) const { return m_bad[picture].load(std::memory_order_relaxed); }
    void add(std::size_t picture, const fs::path& path, const Error& error);

private:
    std::vector<std::atomic<bool>> m_bad;
    std::atomic<int> m_named = 0;
};

/// One object per thread; set and order outlive it.
class PictureLoader
{
public:
    PictureLoader(const PictureSet& set, const PictureOrder& order, BadPictures& bad, const DataSettings& settings);

    /// Reads and decodes the picture at `position` of the stream into `out`; a bad one is replaced by another, the same
    /// in every run with this seed. Fails with damaged after 1,000 bad ones in a row, or when no other is left.
    Result<LoadedPicture> load(std::uint64_t position, float* out);

private:
    bool tryPicture(std::size_t picture, std::uint64_t position, float* out);
    Result<void> decode(std::size_t picture, std::uint64_t position, float* out);

    const PictureSet& m_set;
    const PictureOrder& m_order;
    BadPictures& m_bad;
    std::uint64_t m_seed;
    FileReader m_reader;
    JpegDecoder m_decoder;
    Resizer m_resizer;
    LoadedPicture m_loaded;
};

} // namespace ringside
