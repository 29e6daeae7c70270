// SPDX-License-Identifier: MIT
#include "agent/worker/data/crop.h"

#include <algorithm>
#include <cmath>

namespace ringside {

namespace {

constexpr double kLeastArea = 0.08;
constexpr double kLeastRatio = 3.0 / 4;
constexpr double kMostRatio = 4.0 / 3;
constexpr int kTries = 10;

Rectangle centre(PictureSize size)
{
    const int width = std::clamp(int(size.height * kMostRatio), 1, size.width);
    const int height = std::clamp(int(size.width / kLeastRatio), 1, size.height);
    return {(size.width - width) / 2, (size.height - height) / 2, width, height};
}

Rectangle randomPart(PictureSize size, Random& random)
{
    for (int i = 0; i < kTries; ++i) {
        const double area = random.between(kLeastArea, 1) * size.width * size.height;
        const double ratio = std::exp(random.between(std::log(kLeastRatio), std::log(kMostRatio)));
        const int width = int(std::lround(std::sqrt(area * ratio)));
        const int height = int(std::lround(std::sqrt(area / ratio)));
        if (width < 1 || height < 1 || width > size.width || height > size.height)
            continue;
        const int x = random.below(size.width - width + 1);
        const int y = random.below(size.height - height + 1);
        return {x, y, width, height};
    }
    return centre(size);
}

} // namespace

Crop randomCrop(PictureSize size, Random random)
{
    const bool mirrored = random.unit() < 0.5;
    return {randomPart(size, random), mirrored};
}

} // namespace ringside
