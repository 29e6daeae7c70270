// SPDX-License-Identifier: MIT
#include "agent/worker/data/synthetic.h"

#include "agent/worker/data/random.h"

#include <numbers>
#include <vector>

namespace ringside {

namespace {

class SyntheticSource : public BatchSource
{
public:
    explicit SyntheticSource(const DataSettings& settings)
        : m_items(settings.sequenceLength > 0 ? "sequences" : "pictures")
        , m_settings(settings)
    {
        settings.sequenceLength > 0 ? makeSequences() : makePictures();
        m_batch.labels = m_labels.data();
        m_batch.n = settings.batch;
    }

    Result<Batch> next() override { return m_batch; }
    std::map<std::string, std::string> facts() const override
    {
        return {{"source", "synthetic"}, {m_items, std::to_string(m_batch.n)}};
    }

private:
    std::uint64_t number(int k) const { return std::uint64_t(m_settings.rank) * m_settings.batch + k; }
    std::int64_t classAt(std::uint64_t at) const
    {
        return std::int64_t(randomUnit(m_settings.seed, at) * m_settings.classes);
    }

    void makePictures()
    {
        const std::size_t plane = std::size_t(m_settings.imageSize) * m_settings.imageSize;
        const std::size_t elements = plane * m_settings.channels;
        m_images.resize(m_settings.batch * elements);
        for (int k = 0; k < m_settings.batch; ++k) {
            for (std::size_t e = 0; e < elements; ++e) {
                const std::size_t at = m_settings.channelsLast ? e % plane * m_settings.channels + e / plane : e;
                m_images[k * elements + at] =
                    float(std::numbers::sqrt3 * (2 * randomUnit(m_settings.seed, (number(k) << 32) + e) - 1));
            }
            m_labels.push_back(classAt(((std::uint64_t{1} << 31) + number(k)) << 32));
        }
        m_batch.images = m_images.data();
    }

    void makeSequences()
    {
        for (int k = 0; k < m_settings.batch; ++k)
            for (int t = 0; t < m_settings.sequenceLength; ++t) {
                m_tokens.push_back(classAt((number(k) << 32) + t));
                m_labels.push_back(classAt((number(k) << 32) + t + 1));
            }
        m_batch.tokens = m_tokens.data();
    }

    const char* m_items;
    DataSettings m_settings;
    std::vector<float> m_images;
    std::vector<std::int64_t> m_tokens, m_labels;
    Batch m_batch;
};

} // namespace

std::unique_ptr<BatchSource> syntheticSource(const DataSettings& settings)
{
    return std::make_unique<SyntheticSource>(settings);
}

} // namespace ringside
