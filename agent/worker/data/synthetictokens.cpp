// SPDX-License-Identifier: MIT
#include "agent/worker/data/synthetictokens.h"

#include "agent/worker/data/random.h"

namespace ringside {

SyntheticTokens::SyntheticTokens(const DataSettings& settings)
{
    for (int k = 0; k < settings.batch; ++k) {
        const std::uint64_t sequence = std::uint64_t(settings.rank) * settings.batch + k;
        const auto token = [&](int t) {
            return std::int64_t(randomUnit(settings.seed, (sequence << 32) + t) * settings.classes);
        };
        for (int t = 0; t < settings.sequenceLength; ++t) {
            m_tokens.push_back(token(t));
            m_labels.push_back(token(t + 1));
        }
    }
    m_batch.tokens = m_tokens.data();
    m_batch.labels = m_labels.data();
    m_batch.n = settings.batch;
}

std::map<std::string, std::string> SyntheticTokens::facts() const
{
    return {{"source", "synthetic"}, {"sequences", std::to_string(m_batch.n)}};
}

} // namespace ringside
