// SPDX-License-Identifier: MIT
#include "agent/worker/calibrate/rates.h"

#include "agent/worker/collectives/repeat.h"

#include <ATen/ATen.h>

#ifdef RINGSIDE_WITH_JPEG
#include "agent/worker/data/jpegencoder.h"
#include "agent/worker/data/resizer.h"
#endif

namespace ringside {

double gemmRate(std::chrono::milliseconds budget)
{
    constexpr std::int64_t n = 1024;
    const at::NoGradGuard noGrad;
    const auto a = at::rand({n, n}), b = at::rand({n, n});
    auto product = at::empty({n, n});
    return 2.0 * n * n * n / medianSeconds(budget, [&] { at::mm_out(product, a, b); });
}

double memoryRate(std::chrono::milliseconds budget)
{
    constexpr std::int64_t bytes = 64 << 20;
    const auto from = at::ones({bytes / static_cast<std::int64_t>(sizeof(float))});
    auto to = at::zeros_like(from);
    return 2.0 * bytes / medianSeconds(budget, [&] { to.copy_(from); });
}

#ifdef RINGSIDE_WITH_JPEG
double pictureRate(std::chrono::milliseconds budget)
{
    constexpr int imageSize = 224, quality = 90;
    YccPicture picture{500, 375, {}};
    PictureMaker(1, 10).make(0, 0, picture);
    JpegEncoder encoder(quality);
    const auto encoded = encoder.encode(picture);
    if (!encoded)
        return 0;
    const std::string jpeg(*encoded);
    JpegDecoder decoder;
    Resizer resizer(imageSize, 3, false);
    std::vector<float> out(3 * imageSize * imageSize);
    std::uint64_t number = 0;
    bool good = true;
    const double seconds = medianSeconds(budget, [&] {
        const auto size = decoder.open({reinterpret_cast<const std::uint8_t*>(jpeg.data()), jpeg.size()});
        good = good && size && resizer.fill(decoder, randomCrop(*size, Random(1, number++)), out.data());
    });
    return good ? 1 / seconds : 0;
}
#else
double pictureRate(std::chrono::milliseconds)
{
    return 0;
}
#endif

} // namespace ringside
