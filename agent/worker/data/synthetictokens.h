// SPDX-License-Identifier: MIT
// Source `synthetic` for networks on tokens: one batch of random sequences, given out again and again.
#pragma once

#include "agent/worker/data/batchsource.h"

#include <vector>

namespace ringside {

/// With u(i) = randomUnit(seed, i) of random.h and all ranks' sequences numbered s = rank · batch + k: token t of
/// sequence s is ⌊classes · u(s · 2³² + t)⌋, for t up to and including the sequence's length; the label of each is the
/// next one. Like the pictures of SyntheticSource they can be learnt by heart, so the loss falls.
class SyntheticTokens : public BatchSource
{
public:
    explicit SyntheticTokens(const DataSettings& settings);

    Result<Batch> next() override { return m_batch; }
    std::map<std::string, std::string> facts() const override;

private:
    std::vector<std::int64_t> m_tokens;
    std::vector<std::int64_t> m_labels;
    Batch m_batch;
};

} // namespace ringside
