// SPDX-License-Identifier: MIT
// From a JPEG to the floats of one picture in a batch.
#pragma once

#include "agent/worker/data/crop.h"

#include <vector>

namespace ringside {

/// Mean and deviation of ImageNet's red, green and blue, over 0 to 1; grey pictures use their luminance's.
inline constexpr float kMean[3] = {0.485F, 0.456F, 0.406F};
inline constexpr float kDeviation[3] = {0.229F, 0.224F, 0.225F};
inline constexpr float kGreyMean = 0.458F;
inline constexpr float kGreyDeviation = 0.225F;

/// Resizes by bilinear interpolation between pixel centres (as torch's interpolate with align_corners=False), row by
/// row while the decoder delivers, and normalises. The decoder's reduction keeps the step below two pixels, except for
/// crops of more than 16 times the size. One object per thread.
class Resizer
{
public:
    Resizer(int imageSize, int channels, bool channelsLast);

    /// Writes channels × imageSize × imageSize floats to `out`. The decoder has an open picture that holds the crop.
    Result<void> fill(JpegDecoder& decoder, const Crop& crop, float* out);

private:
    /// Place of an output column between two of the decoded part, as offsets into a row.
    struct Column
    {
        int left = 0;
        int right = 0;
        float weight = 0; ///< of the right one
    };

    void placeColumns(const Crop& crop, const DecodedPart& part);
    Result<void> readUpTo(JpegDecoder& decoder, int row);
    void blendRows(float weight);
    void writeRow(int y, float* out) const;
    void writeGrey(float* row) const;
    void writePixels(float* row) const;
    void writePlanes(float* row) const;

    int m_size;
    int m_channels;
    bool m_channelsLast;
    std::vector<Column> m_columns;
    std::vector<std::uint8_t> m_above;  ///< the decoded row before m_below
    std::vector<std::uint8_t> m_below;  ///< the latest decoded row
    std::vector<std::uint16_t> m_blend; ///< a row between the two, times 256
    int m_rowsRead = 0;
};

} // namespace ringside
