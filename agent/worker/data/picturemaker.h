// SPDX-License-Identifier: MIT
// Pictures that cost a decoder what photographs do, and that a model can learn to distinguish.
#pragma once

#include "agent/worker/data/noise.h"

#include <cstdint>
#include <vector>

namespace ringside {

/// A picture in YCbCr, three bytes a pixel, row by row.
struct YccPicture
{
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;
};

/// Luminance: 1/f noise, a few shapes with hard edges that cover each other (objects), and a faint grating. Colour
/// differences: weaker and smoother noise of the same kind, correlated with luminance. The class sets the grating's
/// direction and the hue. The same numbers for the same seed, on any machine with IEEE arithmetic.
class PictureMaker
{
public:
    PictureMaker(std::uint64_t seed, int classes);

    /// Fills `picture`, whose width and height are set, with number `index` of class `label`.
    void make(std::uint64_t index, int label, YccPicture& picture) const;

private:
    struct Scene;
    struct Shape;
    Scene sceneOf(std::uint64_t index, int label, const YccPicture& picture) const;
    static void paintRow(const Scene& scene, int y, std::uint8_t* pixels, int width);

    std::uint64_t m_seed;
    int m_classes;
    std::vector<NoiseField> m_fields;
};

} // namespace ringside
