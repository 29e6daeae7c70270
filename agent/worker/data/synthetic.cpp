// SPDX-License-Identifier: MIT
#include "agent/worker/data/synthetic.h"

#include "agent/worker/data/random.h"

#include <numbers>

namespace ringside {

SyntheticSource::SyntheticSource(const DataSettings& settings)
    : m_images(std::size_t(settings.batch) * settings.channels * settings.imageSize * settings.imageSize)
    , m_labels(settings.batch)
{
    for (int k = 0; k < settings.batch; ++k)
        fillPicture(k, settings);
    m_batch.images = m_images.data();
    m_batch.labels = m_labels.data();
    m_batch.n = settings.batch;
}

void SyntheticSource::fillPicture(int k, const DataSettings& settings)
{
    const std::uint64_t picture = std::uint64_t(settings.rank) * settings.batch + k;
    const std::size_t plane = std::size_t(settings.imageSize) * settings.imageSize;
    const std::size_t elements = plane * settings.channels;
    float* out = m_images.data() + k * elements;
    for (std::size_t e = 0; e < elements; ++e) {
        const std::size_t at = settings.channelsLast ? e % plane * settings.channels + e / plane : e;
        out[at] = float(std::numbers::sqrt3 * (2 * randomUnit(settings.seed, (picture << 32) + e) - 1));
    }
    const double u = randomUnit(settings.seed, ((std::uint64_t{1} << 31) + picture) << 32);
    m_labels[k] = std::int64_t(u * settings.classes);
}

std::map<std::string, std::string> SyntheticSource::facts() const
{
    return {{"source", "synthetic"}, {"pictures", std::to_string(m_batch.n)}};
}

} // namespace ringside
