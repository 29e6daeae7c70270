// SPDX-License-Identifier: MIT
// One JPEG picture, decoded no further than needed: a part of it, at a fraction of its size.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <memory>
#include <span>

namespace ringside {

/// A part of a picture, in pixels.
struct Rectangle
{
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
    bool operator==(const Rectangle&) const = default;
};

struct PictureSize
{
    int width = 0;
    int height = 0;
    bool operator==(const PictureSize&) const = default;
};

/// The result of begin(): `area` of the picture at 1/`reduction` of its size.
struct DecodedPart
{
    int reduction = 1;
    Rectangle area;
};

/// Reads baseline and progressive JPEG of any colour model into RGB or luminance by libjpeg-turbo: open(), begin(),
/// then readRow() for each row of the part. One object per thread, used again and again. Bytes are hostile: pixels,
/// memory and scans are limited. Every error is `damaged` with libjpeg's reason; after one, start again at open().
class JpegDecoder
{
public:
    static constexpr std::int64_t kMostPixels = 250'000'000;
    static constexpr int kMostScans = 100; ///< of a progressive picture; each costs a pass over all its pixels

    static constexpr int bytesPerPixel(int channels) { return channels == 1 ? 1 : 4; }

    JpegDecoder();
    ~JpegDecoder();
    JpegDecoder(const JpegDecoder&) = delete;
    JpegDecoder& operator=(const JpegDecoder&) = delete;

    /// Reads the header and looks for the end marker. `bytes` must live until the last row is read.
    Result<PictureSize> open(std::span<const std::uint8_t> bytes);

    /// Chooses 1/1, 1/2, 1/4 or 1/8, whichever is the smallest that leaves `target` pixels of `crop` in both
    /// directions, if any does. The part holds the crop, which lies within the picture, and may be wider. `channels`: 3
    /// or 1.
    Result<DecodedPart> begin(const Rectangle& crop, int target, int channels);

    /// The next row from the top: area.width × bytesPerPixel(channels). Damage in unread rows goes unnoticed.
    Result<void> readRow(std::uint8_t* pixels);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace ringside
