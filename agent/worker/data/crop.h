// SPDX-License-Identifier: MIT
// The random part of a picture that one iteration sees.
#pragma once

#include "agent/worker/data/jpegdecoder.h"
#include "agent/worker/data/random.h"

namespace ringside {

struct Crop
{
    Rectangle part;
    bool mirrored = false;
};

/// Like torchvision's RandomResizedCrop with RandomHorizontalFlip: 8 to 100 % of the area, an aspect ratio of 3:4 to
/// 4:3 uniform in its logarithm, ten tries, else the largest centred part with a ratio in that range; half are
/// mirrored.
Crop randomCrop(PictureSize size, Random random);

} // namespace ringside
