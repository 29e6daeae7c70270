// SPDX-License-Identifier: MIT
#include "agent/worker/data/resizer.h"

#include <algorithm>
#include <cmath>

namespace ringside {

namespace {

/// Position of output pixel i in the decoded part, in its pixels, kept within it.
float position(int i, int outputs, int cropStart, int cropLength, int reduction, int partStart, int partLength)
{
    const float inPicture = float(cropStart) + (float(i) + 0.5F) * float(cropLength) / float(outputs);
    return std::clamp(inPicture / float(reduction) - 0.5F - float(partStart), 0.0F, float(partLength - 1));
}

} // namespace

Resizer::Resizer(int imageSize, int channels, bool channelsLast)
    : m_size(imageSize)
    , m_channels(channels)
    , m_channelsLast(channelsLast)
    , m_columns(std::size_t(imageSize))
{
    for (int c = 0; c < 3; ++c) {
        const float deviation = channels == 1 ? kGreyDeviation : kDeviation[c];
        m_scale[c] = 1 / (255 * deviation);
        m_shift[c] = -(channels == 1 ? kGreyMean : kMean[c]) / deviation;
    }
}

Result<void> Resizer::fill(JpegDecoder& decoder, const Crop& crop, float* out)
{
    TRY_ASSIGN(const DecodedPart part, decoder.begin(crop.part, m_size, m_channels));
    placeColumns(crop, part);
    const std::size_t bytes = std::size_t(part.area.width) * m_channels;
    m_above.resize(bytes);
    m_below.resize(bytes);
    m_blend.resize(bytes);
    m_rowsRead = 0;
    for (int y = 0; y < m_size; ++y) {
        const float at =
            position(y, m_size, crop.part.y, crop.part.height, part.reduction, part.area.y, part.area.height);
        const int above = int(at);
        TRY(readUpTo(decoder, std::min(above + 1, part.area.height - 1)));
        // On the last row, the one above has been passed already: take the lower one alone.
        blendRows(above + 1 < part.area.height ? at - float(above) : 1.0F);
        writeRow(y, out);
    }
    return {};
}

void Resizer::placeColumns(const Crop& crop, const DecodedPart& part)
{
    for (int x = 0; x < m_size; ++x) {
        const float at =
            position(x, m_size, crop.part.x, crop.part.width, part.reduction, part.area.x, part.area.width);
        const int left = int(at);
        const int right = std::min(left + 1, part.area.width - 1);
        m_columns[crop.mirrored ? m_size - 1 - x : x] = {left * m_channels, right * m_channels, at - float(left)};
    }
}

Result<void> Resizer::readUpTo(JpegDecoder& decoder, int row)
{
    for (; m_rowsRead <= row; ++m_rowsRead) {
        m_above.swap(m_below);
        TRY(decoder.readRow(m_below.data()));
    }
    return {};
}

void Resizer::blendRows(float weight)
{
    const std::uint8_t* above = m_above.data();
    const std::uint8_t* below = m_below.data();
    float* blend = m_blend.data();
    const std::size_t n = m_blend.size();
    for (std::size_t i = 0; i < n; ++i)
        blend[i] = float(above[i]) + weight * float(below[i] - above[i]);
}

void Resizer::writeRow(int y, float* out) const
{
    const std::size_t plane = std::size_t(m_size) * m_size;
    const std::size_t pixelStep = m_channelsLast ? m_channels : 1;
    const std::size_t channelStep = m_channelsLast ? 1 : plane;
    float* row = out + y * m_size * pixelStep;
    for (int x = 0; x < m_size; ++x) {
        const Between& column = m_columns[x];
        for (int c = 0; c < m_channels; ++c) {
            const float first = m_blend[column.first + c];
            const float value = first + column.weight * (m_blend[column.second + c] - first);
            row[x * pixelStep + c * channelStep] = value * m_scale[c] + m_shift[c];
        }
    }
}

} // namespace ringside
