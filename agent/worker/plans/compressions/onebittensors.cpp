// SPDX-License-Identifier: MIT
#include "agent/worker/plans/compressions/onebittensors.h"

#include "agent/worker/plans/compressions/onebitcode.h"

#include <ATen/ATen.h>

namespace ringside::onebit {

namespace {

constexpr std::int64_t kNumbers = kBlock, kMeans = kMeansBytes, kBits = kBlock / 8;

} // namespace

TensorCode::TensorCode(std::span<const std::size_t> counts, std::size_t longest, c10::Device device)
    : m_blocks(static_cast<std::int64_t>((longest + kBlock - 1) / kBlock))
    , m_bytes(static_cast<std::int64_t>(codeBytes(longest)))
    , m_behind(at::ones({static_cast<std::int64_t>(counts.size()), m_blocks * kNumbers},
                        at::TensorOptions(at::kBool).device(device)))
    , m_places(at::ones({8}, at::TensorOptions(at::kByte).device(device)))
{
    for (std::size_t row = 0; row < counts.size(); ++row)
        m_behind[static_cast<std::int64_t>(row)].narrow(0, 0, static_cast<std::int64_t>(counts[row])).fill_(false);
    m_behind = m_behind.view({-1, m_blocks, kNumbers});
    m_counts = m_behind.sum(-1, /*keepdim=*/false, at::kFloat).neg().add(kNumbers);
    m_places.bitwise_left_shift_(at::arange(8, m_places.options()));
}

at::Tensor TensorCode::rows() const
{
    return at::zeros({m_behind.size(0), m_blocks, kNumbers}, m_counts.options());
}

/// In a padded code each block is a whole one; that of a row is its beginning, since what a last block lacks is behind.
at::Tensor TensorCode::encode(const at::Tensor& rows) const
{
    rows.masked_fill_(m_behind, 0);
    const at::Tensor isNegative = rows < 0;
    const at::Tensor negatives = isNegative.sum(-1, /*keepdim=*/false, at::kFloat);
    const at::Tensor means = at::stack({rows.clamp_max(0).sum(-1) / negatives.clamp_min(1),
                                        rows.clamp_min(0).sum(-1) / (m_counts - negatives).clamp_min(1)},
                                       -1);
    rows.sub_(at::where(isNegative, means.narrow(-1, 0, 1), means.narrow(-1, 1, 1)));
    const at::Tensor bits =
        (isNegative.view({-1, m_blocks, kBits, 8}) * m_places).sum(-1, /*keepdim=*/false, at::kByte);
    const at::Tensor padded = at::cat({means.view(at::kByte), bits}, -1);
    return padded.view({-1, m_blocks * (kMeans + kBits)}).narrow(1, 0, m_bytes);
}

at::Tensor TensorCode::decode(const at::Tensor& codes) const
{
    const at::Tensor padded = at::constant_pad_nd(codes.view({-1, m_bytes}), {0, m_blocks * (kMeans + kBits) - m_bytes})
                                  .view({-1, m_blocks, kMeans + kBits});
    const at::Tensor means = padded.narrow(-1, 0, kMeans).contiguous().view(at::kFloat);
    const at::Tensor bits = padded.narrow(-1, kMeans, kBits).unsqueeze(-1).bitwise_and(m_places);
    return at::where(bits.view({-1, m_blocks, kNumbers}) != 0, means.narrow(-1, 0, 1), means.narrow(-1, 1, 1));
}

} // namespace ringside::onebit
