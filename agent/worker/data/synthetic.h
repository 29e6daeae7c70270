// SPDX-License-Identifier: MIT
// Source `synthetic`: one batch of random numbers, given out again and again. It costs nothing per iteration: it stays
// where it is computed with, also on a GPU.
#pragma once

#include "agent/worker/data/batchsource.h"

#include <vector>

namespace ringside {

/// With u(i) = randomUnit(seed, i) of random.h and all ranks' pictures numbered p = rank · batch + k:
/// element e of picture p (e counts in NCHW order in either layout) is √3 (2 u(p · 2³² + e) - 1), so mean 0 and
/// deviation 1; its label is ⌊classes · u((2³¹ + p) · 2³²)⌋. A fixed batch can be learnt by heart, so the loss falls.
class SyntheticSource : public BatchSource
{
public:
    explicit SyntheticSource(const DataSettings& settings);

    Result<Batch> next() override { return m_batch; }
    std::map<std::string, std::string> facts() const override;

private:
    void fillPicture(int k, const DataSettings& settings);

    std::vector<float> m_images;
    std::vector<std::int64_t> m_labels;
    Batch m_batch;
};

} // namespace ringside
