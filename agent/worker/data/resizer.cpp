// SPDX-License-Identifier: MIT
#include "agent/worker/data/resizer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ringside {

namespace {

/// Position of output pixel i in the decoded part, in its pixels, clamped to it.
float position(int i, int outputs, int cropStart, int cropLength, int reduction, int partStart, int partLength)
{
    const float inPicture = float(cropStart) + (float(i) + 0.5F) * float(cropLength) / float(outputs);
    return std::clamp(inPicture / float(reduction) - 0.5F - float(partStart), 0.0F, float(partLength - 1));
}

/// Bytes before a row in its buffer. libjpeg-turbo writes aligned rows past the processor's caches, and they are needed
/// at once: odd addresses save a tenth of all the time.
constexpr std::size_t kRowOffset = 4;

/// Four channels at once; compilers do not find this by themselves.
using Pixel = float __attribute__((vector_size(16)));
using WidePixel = std::int32_t __attribute__((vector_size(16)));
using PackedPixel = std::uint16_t __attribute__((vector_size(8)));

constexpr float kUnit = 255 * 256; ///< white in a blended row
constexpr Pixel kPixelScale = {1 / (kUnit * kDeviation[0]), 1 / (kUnit * kDeviation[1]), 1 / (kUnit * kDeviation[2]),
                               0};
constexpr Pixel kPixelShift = {-kMean[0] / kDeviation[0], -kMean[1] / kDeviation[1], -kMean[2] / kDeviation[2], 0};

Pixel unpack(const std::uint16_t* channels)
{
    PackedPixel packed;
    std::memcpy(&packed, channels, sizeof packed);
    return __builtin_convertvector(__builtin_convertvector(packed, WidePixel), Pixel);
}

Pixel between(const std::uint16_t* left, const std::uint16_t* right, float weight)
{
    const Pixel first = unpack(left);
    return (first + weight * (unpack(right) - first)) * kPixelScale + kPixelShift;
}

} // namespace

Resizer::Resizer(int imageSize, int channels, bool channelsLast)
    : m_size(imageSize)
    , m_channels(channels)
    , m_channelsLast(channelsLast)
    , m_columns(std::size_t(imageSize))
{
}

Result<void> Resizer::fill(JpegDecoder& decoder, const Crop& crop, float* out)
{
    TRY_ASSIGN(const DecodedPart part, decoder.begin(crop.part, m_size, m_channels));
    placeColumns(crop, part);
    const std::size_t bytes = std::size_t(part.area.width) * JpegDecoder::bytesPerPixel(m_channels);
    m_above.resize(kRowOffset + bytes);
    m_below.resize(kRowOffset + bytes);
    m_blend.resize(bytes);
    m_rowsRead = 0;
    for (int y = 0; y < m_size; ++y) {
        const float at =
            position(y, m_size, crop.part.y, crop.part.height, part.reduction, part.area.y, part.area.height);
        const int above = int(at);
        TRY(readUpTo(decoder, std::min(above + 1, part.area.height - 1)));
        // On the last row, the one above has been passed already: use the lower one alone.
        blendRows(above + 1 < part.area.height ? at - float(above) : 1.0F);
        writeRow(y, out);
    }
    return {};
}

void Resizer::placeColumns(const Crop& crop, const DecodedPart& part)
{
    const int step = JpegDecoder::bytesPerPixel(m_channels);
    for (int x = 0; x < m_size; ++x) {
        const float at =
            position(x, m_size, crop.part.x, crop.part.width, part.reduction, part.area.x, part.area.width);
        const int left = int(at);
        const int right = std::min(left + 1, part.area.width - 1);
        m_columns[crop.mirrored ? m_size - 1 - x : x] = {left * step, right * step, at - float(left)};
    }
}

Result<void> Resizer::readUpTo(JpegDecoder& decoder, int row)
{
    for (; m_rowsRead <= row; ++m_rowsRead) {
        m_above.swap(m_below);
        TRY(decoder.readRow(m_below.data() + kRowOffset));
    }
    return {};
}

/// In integers: bytes to floats and back would cost as much as all the rest.
void Resizer::blendRows(float weight)
{
    const auto ofBelow = std::uint16_t(std::lround(weight * 256));
    const auto ofAbove = std::uint16_t(256 - ofBelow);
    const std::uint8_t* above = m_above.data() + kRowOffset;
    const std::uint8_t* below = m_below.data() + kRowOffset;
    std::uint16_t* blend = m_blend.data();
    const std::size_t n = m_blend.size();
    for (std::size_t i = 0; i < n; ++i)
        blend[i] = std::uint16_t(above[i] * ofAbove + below[i] * ofBelow);
}

void Resizer::writeRow(int y, float* out) const
{
    if (m_channels == 1)
        writeGrey(out + std::size_t(y) * m_size);
    else if (m_channelsLast)
        writePixels(out + std::size_t(y) * m_size * 3);
    else
        writePlanes(out + std::size_t(y) * m_size);
}

void Resizer::writeGrey(float* row) const
{
    for (const Column& column : m_columns) {
        const float left = m_blend[column.left];
        const float value = left + column.weight * (float(m_blend[column.right]) - left);
        *row++ = (value / kUnit - kGreyMean) / kGreyDeviation;
    }
}

void Resizer::writePixels(float* row) const
{
    const std::uint16_t* blend = m_blend.data();
    Pixel pixel{};
    for (int x = 0; x < m_size; ++x) {
        const Column& column = m_columns[x];
        pixel = between(blend + column.left, blend + column.right, column.weight);
        if (x + 1 <
            m_size) // the fourth value is overwritten by the next pixel; behind the last it is not ours to write
            std::memcpy(row + 3 * x, &pixel, sizeof pixel);
    }
    std::memcpy(row + 3 * (m_size - 1), &pixel, 3 * sizeof(float));
}

void Resizer::writePlanes(float* row) const
{
    const std::uint16_t* blend = m_blend.data();
    const std::size_t plane = std::size_t(m_size) * m_size;
    for (int x = 0; x < m_size; ++x) {
        const Column& column = m_columns[x];
        const Pixel pixel = between(blend + column.left, blend + column.right, column.weight);
        for (int c = 0; c < 3; ++c)
            row[x + c * plane] = pixel[c];
    }
}

} // namespace ringside
